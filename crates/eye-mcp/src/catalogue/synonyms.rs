//! Synonyms in the domain of tools. The list is short on purpose: each group holds words that people and tool authors
//! really interchange, since a wrong synonym pushes better matches down.

use super::stems::english;
use std::collections::HashMap;
use std::sync::OnceLock;

const GROUPS: [&str; 83] = [
    "folder directory dir",
    "remove delete erase drop destroy discard",
    "create add new make insert",
    "get fetch retrieve obtain read",
    "show display view print",
    "list enumerate all",
    "search find lookup query look locate",
    "update edit modify change alter set",
    "image picture photo",
    "screenshot snapshot capture",
    "send post publish submit",
    "run execute invoke",
    "start launch begin open spawn",
    "stop kill terminate end cancel abort halt finish",
    "repo repository project",
    "issue ticket bug task",
    "pull merge pr mr",
    "database db",
    "document doc page",
    "documentation docs manual reference",
    "website site webpage url link web",
    "email mail",
    "user person member people account contributor",
    "move rename relocate",
    "copy duplicate clone",
    "comment reply note remark annotation answer respond",
    "click press tap push button",
    "directions route navigate way",
    "address place location geocode coordinates",
    "convert transform translate",
    "sheet worksheet tab",
    "workbook spreadsheet excel",
    "chart graph plot diagram",
    "row record entry item",
    "column field property attribute",
    "type fill enter input write",
    "upload attach",
    "download export save",
    "diff compare difference change",
    "undo revert reset rollback",
    "history log past",
    "store save keep remember",
    "size large big space usage",
    "count number many total",
    "join combine merge concatenate",
    "close shut dismiss",
    "allow permit grant permission",
    "message chat conversation",
    "channel room",
    "emoji reaction react",
    "js javascript script code",
    "website crawl scrape extract",
    "info information detail metadata describe",
    "state status",
    "performance speed slow trace profile",
    "machine computer system host",
    "schema structure layout",
    "similar related like",
    "paper article publication study",
    "shell terminal command console",
    "container pod",
    "wait pause sleep delay",
    "phone mobile device",
    "newest latest recent last current",
    "watch monitor track follow observe",
    "content inside contain",
    "remember memory knowledge know fact observation",
    "forget delete",
    "popup dialog alert prompt",
    "mouse hover pointer",
    "http network request call api",
    "height elevation altitude",
    "drive travel distance trip",
    "street address",
    "business shop restaurant place",
    "group aggregate summarize pivot",
    "sum total add",
    "format style bold font color",
    "ci check build pipeline status",
    "error exception failure crash log",
    "link relation connect relationship",
    "pdf file document",
    "multiple several many batch",
];

/// The stems that are synonyms of this one.
pub fn of(stem: &str) -> &'static [String] {
    static TABLE: OnceLock<HashMap<String, Vec<String>>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let mut table: HashMap<String, Vec<String>> = HashMap::new();
        for group in GROUPS {
            let stems: Vec<String> = group.split(' ').map(english).collect();
            for stem in &stems {
                let known = table.entry(stem.clone()).or_default();
                known.extend(stems.iter().filter(|other| *other != stem).cloned());
                known.sort_unstable();
                known.dedup();
            }
        }
        table
    });
    table.get(stem).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_group_stand_for_each_other_in_every_form() {
        assert!(of(&english("folders")).contains(&english("directory")));
        assert!(of(&english("directories")).contains(&english("folder")));
        assert!(of(&english("removing")).contains(&english("deleted")));
        assert!(of("xylophon").is_empty());
    }
}
