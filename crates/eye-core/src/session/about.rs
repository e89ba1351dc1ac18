//! What a page reports of itself, and its names.

use super::Session;
use eye_protocol::limits::PAGE_TEXT_BYTES_MAX;
use eye_protocol::messages::PageInfo;

impl Session {
    pub(super) fn merge(&mut self, news: PageInfo) {
        let PageInfo {
            title,
            url,
            alias,
            visible,
            frame,
            parent,
            eval,
            eval_blocked,
            paused,
            last_ref,
            loading,
            leaving,
            dialog,
            shown_in,
        } = news;
        let cut = |text: String| cut_to(text, PAGE_TEXT_BYTES_MAX);
        let info = &mut self.info;
        info.title = title.map(cut).or(info.title.take());
        info.url = url.map(cut).or(info.url.take());
        info.alias = alias.map(cut).filter(|alias| !alias.is_empty()).or(info.alias.take());
        info.visible = visible.or(info.visible);
        info.frame = frame.or(info.frame);
        info.parent = parent.map(cut).or(info.parent.take());
        info.eval = eval.or(info.eval);
        info.eval_blocked = eval_blocked.map(cut).or(info.eval_blocked.take());
        // Refs only grow, so that an old one never means another element.
        info.last_ref = last_ref.max(info.last_ref);
        info.loading = loading.or(info.loading);
        info.leaving = leaving.map(cut).or(info.leaving.take()).filter(|url| !url.is_empty());
        info.dialog = dialog.map(cut).or(info.dialog.take()).filter(|text| !text.is_empty());
        info.shown_in = shown_in.or(info.shown_in.take());
        info.paused = paused.map(cut).or(info.paused.take()).filter(|message| !message.is_empty());
    }

    /// The given name, or else the alias, or else the id.
    pub fn name(&self) -> String {
        self.called().to_owned()
    }

    /// [`Self::name`] as a reference.
    pub(crate) fn called(&self) -> &str {
        self.given_name().or(self.info.alias.as_deref()).unwrap_or(self.id.as_str())
    }

    /// The name that a person gave the page, by `eye use PAGE --as NAME`.
    pub fn given_name(&self) -> Option<&str> {
        self.given_name.as_deref()
    }

    pub(crate) fn give_name(&mut self, name: Option<Box<str>>) {
        self.given_name = name;
    }
}

fn cut_to(mut text: String, bytes_max: usize) -> String {
    if text.len() > bytes_max {
        let end = (0..=bytes_max).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
        text.truncate(end);
    }
    text
}
