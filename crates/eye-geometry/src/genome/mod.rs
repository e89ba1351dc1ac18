//! A shader as a genome: its syntax tree, the places that may change in it, and its text. It knows nothing of pictures
//! and fitness.

mod build;
mod mutate;
mod parentheses;
mod simplify;
mod survey;
mod types;
mod walk;

pub use mutate::{Operator, Parent, mutate};
pub use survey::{Survey, survey};
pub use wgsl_parse::syntax::TranslationUnit;

/// Where and why the tree's parser rejects a text. The offset is in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    pub message: String,
    pub offset: usize,
}

/// Parses a shader, and removes all parentheses from its tree.
pub fn parse(source: &str) -> Result<TranslationUnit, Unreadable> {
    let mut unit = wgsl_parse::parse_str(source)
        .map_err(|error| Unreadable { message: error.error.to_string(), offset: error.span.start })?;
    parentheses::strip(&mut unit);
    Ok(unit)
}

/// Prints a tree, with the parentheses that it needs.
pub fn print(unit: &TranslationUnit) -> String {
    let mut unit = unit.clone();
    parentheses::add(&mut unit);
    unit.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use proptest::prelude::*;
    use walk::with_expression;

    const SHADER: &str = "
        struct Ball { centre: vec2f, tones: array<f32, 4> }
        alias Pair = vec2f;
        const TABLE = array(0.1, 0.2, 0.4); const HALF: f32 = 0.5;
        var<private> counter: i32 = 2; var<private> ball: Ball;
        fn bump(by: ptr<function, i32>, x: f32) -> f32 { *by += 1; counter += *by; return -x * (HALF + 1); }
        fn main(uv: vec2f) -> vec4f {
          var by = 1; let n = i32(uv.x * 20) % 3; var m = mat2x2f(1, 0, 0, 1); ball.tones[n + 1] = 0.7; ball.centre = Pair(uv.y, 1);
          for (var i = 0; i < 4 && n > -2; i++) { if uv.x < 0.5 || (uv.y > 0.25) { continue; } by += i << 1u; }
          switch n { case 1, 2: { ball.centre.x -= 0.1; } default: { ball.centre = m * uv; } }
          let v = select(ball.centre, vec2f(TABLE[n], bump(&by, uv.y)), (uv < vec2f(0.3)) == vec2<bool>(true, false));
          while by > 100 { by -= 10; } loop { by += 1; continuing { break if by > 3; } }
          return vec4f(v, (uv.x - (uv.y - 0.1)) / (2.0 * v.x), f32(~(by & 3) | 1));
        }";

    #[test]
    fn what_is_printed_reads_back_as_the_same() {
        let unit = parse(SHADER).unwrap();
        let printed = print(&unit);
        assert_eq!(print(&parse(&printed).unwrap()), printed);
        assert!(printed.contains("(uv.x - (uv.y - 0.1)) / (2.0 * v.x)"), "{printed}");
        naga::front::wgsl::parse_str(&printed).unwrap_or_else(|error| panic!("{}", error.emit_to_string(&printed)));
    }

    #[test]
    fn every_site_has_its_expression_and_nearly_all_have_a_type() {
        let mut unit = parse(SHADER).unwrap();
        let survey = survey(&mut unit);
        for (number, site) in survey.sites.iter().enumerate() {
            let mut size = 0;
            assert!(with_expression(&mut unit, number, |node| size = walk::count(node)));
            assert_eq!(size, site.size, "of {number}");
        }
        assert!(!with_expression(&mut unit, survey.sites.len(), |_| {}));
        let typed = survey.sites.iter().filter(|site| site.ty.is_some()).count();
        assert!(typed * 20 > survey.sites.len() * 19, "{typed} of {}", survey.sites.len());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

        #[test]
        fn every_change_leaves_something_that_prints_and_reads_back(seed in any::<u64>()) {
            let mut rng = Rng::with_seed(seed);
            let mut unit = parse(SHADER).unwrap();
            let other = unit.clone();
            let other_survey = survey(&mut other.clone());
            for _ in 0..12 {
                let operator = Operator::ALL[rng.usize(..Operator::ALL.len())];
                let own = survey(&mut unit);
                let donor = Parent { unit: &other, survey: &other_survey };
                mutate(operator, &mut unit, &own, &donor, 0.5, &mut rng);
                let printed = print(&unit);
                let read = parse(&printed);
                prop_assert!(read.is_ok(), "{operator:?}: {read:?} of {printed}");
                prop_assert_eq!(print(&read.unwrap()), printed);
            }
        }
    }
}
