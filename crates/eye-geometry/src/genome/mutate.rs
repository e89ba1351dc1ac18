//! The random changes of a shader. Each finds a place where it applies and changes that place; it returns whether it
//! found one.

use super::build::{self, any_number, call, grow, literal, name, number, operation, part, short};
use super::simplify::simpler;
use super::survey::{Shape, Site, Survey, may_go};
use super::types::{PAIRS, SAME, Scalar, Type};
use super::walk::{Role, Visitor, walk, with_expression};
use fastrand::Rng;
use wgsl_parse::syntax::{
    BinaryOperator, Expression, ExpressionNode, LiteralExpression, Statement, StatementNode, TranslationUnit,
    UnaryOperator,
};

/// A kind of random change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// Changes the value of a literal.
    Constant,
    /// Replaces an operator: `+` by `*`, `<` by `>=`.
    Operation,
    /// Replaces a built-in function: `sin` by `abs`, `min` by `step`.
    Builtin,
    /// Picks other components of a vector.
    Swizzle,
    /// Replaces an expression by a random one of its type.
    Grow,
    /// Makes an expression an operand of a new operation or call.
    Wrap,
    /// Replaces an expression by one of its parts.
    Hoist,
    /// Replaces an expression by a constant or a name.
    Shrink,
    /// Replaces an expression by a shorter one with the same meaning.
    Simplify,
    /// Replaces an expression by a copy of another one of the same type.
    Copy,
    /// Removes a statement.
    Drop,
    /// Replaces an expression by one of another shader.
    Cross,
}

impl Operator {
    pub const ALL: [Self; 12] = [
        Self::Constant,
        Self::Operation,
        Self::Builtin,
        Self::Swizzle,
        Self::Grow,
        Self::Wrap,
        Self::Hoist,
        Self::Shrink,
        Self::Simplify,
        Self::Copy,
        Self::Drop,
        Self::Cross,
    ];
}

/// A shader and its survey.
pub struct Parent<'a> {
    pub unit: &'a TranslationUnit,
    pub survey: &'a Survey,
}

/// Changes one place of `unit`, which `survey` describes. `other` supplies the expression for [`Operator::Cross`].
pub fn mutate(
    operator: Operator,
    unit: &mut TranslationUnit,
    survey: &Survey,
    other: &Parent<'_>,
    strength: f64,
    rng: &mut Rng,
) -> bool {
    match operator {
        Operator::Constant => at(
            unit,
            survey,
            rng,
            |site| site.shape == Shape::Literal,
            |node, site, rng| constant(node, site, strength, rng),
        ),
        Operator::Operation => {
            at(unit, survey, rng, |site| site.shape == Shape::Operation, |node, _, rng| other_operation(node, rng))
        }
        Operator::Builtin => at(unit, survey, rng, |site| site.shape == Shape::Call, |node, _, rng| builtin(node, rng)),
        Operator::Swizzle => at(unit, survey, rng, |site| site.shape == Shape::Part, swizzle),
        Operator::Grow => at(unit, survey, rng, growable, |node, site, rng| {
            let ty = site.ty.as_ref()?;
            let depth = rng.u32(..2);
            let grown = grow(ty, &site.scope, rng, depth)?;
            replace(node, grown)
        }),
        Operator::Wrap => at(unit, survey, rng, growable, wrap),
        Operator::Shrink => at(unit, survey, rng, |site| growable(site) && site.size > 1, shrink),
        Operator::Simplify => simplify(unit, survey, rng),
        Operator::Hoist => hoist(unit, survey, rng),
        Operator::Copy => copy(unit, survey, &Parent { unit: &unit.clone(), survey }, rng),
        Operator::Cross => copy(unit, survey, other, rng),
        Operator::Drop => drop_statement(unit, survey, rng),
    }
}

fn growable(site: &Site) -> bool {
    site.ty.is_some() && !site.constant
}

#[allow(clippy::unnecessary_wraps, reason = "a change ends with it, and says that it was made")]
fn replace(node: &mut ExpressionNode, expression: Expression) -> Option<()> {
    *node.node_mut() = expression;
    Some(())
}

/// The index of a random site that fits. Half of the time it is the larger of two, because most sites are small and
/// deep, and changing them changes little.
fn choose(survey: &Survey, rng: &mut Rng, fits: impl Fn(&Site) -> bool) -> Option<usize> {
    let fitting: Vec<usize> = (0..survey.sites.len()).filter(|&number| fits(&survey.sites[number])).collect();
    if fitting.is_empty() {
        return None;
    }
    let (one, other) = (fitting[rng.usize(..fitting.len())], fitting[rng.usize(..fitting.len())]);
    let is_larger = survey.sites[other].size > survey.sites[one].size;
    Some(if rng.bool() && is_larger { other } else { one })
}

/// Changes one of the sites that fit.
fn at(
    unit: &mut TranslationUnit,
    survey: &Survey,
    rng: &mut Rng,
    fits: impl Fn(&Site) -> bool,
    change: impl FnOnce(&mut ExpressionNode, &Site, &mut Rng) -> Option<()>,
) -> bool {
    let Some(number) = choose(survey, rng, fits) else { return false };
    let mut changed = false;
    with_expression(unit, number, |node| changed = change(node, &survey.sites[number], rng).is_some());
    changed
}

/// A random number around zero, roughly normally distributed.
fn bell(rng: &mut Rng) -> f64 {
    (0..6).map(|_| rng.f64()).sum::<f64>() - 3.0
}

fn moved(value: f64, strength: f64, rng: &mut Rng) -> f64 {
    // Steps of all sizes: large ones to find a good place, small ones to refine it.
    let scale = strength * (-6.0 * rng.f64()).exp2();
    match rng.u8(..10) {
        0 => any_number(rng),
        1 => value * 2.0,
        2 => value / 2.0,
        3 => -value,
        4..=6 => value + bell(rng) * scale,
        _ => value * (1.0 + bell(rng) * scale),
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "a literal that is rounded is as good as another"
)]
fn constant(node: &mut ExpressionNode, site: &Site, strength: f64, rng: &mut Rng) -> Option<()> {
    let Expression::Literal(literal) = node.node_mut() else { return None };
    let is_float = site.ty.as_ref().and_then(Type::scalar) == Some(Scalar::Float);
    let step = if rng.bool() { 1 } else { -1 };
    let factor = if rng.u8(..4) == 0 { 2 } else { 1 };
    *literal = match *literal {
        LiteralExpression::Bool(value) => LiteralExpression::Bool(!value),
        LiteralExpression::AbstractInt(value) if is_float => {
            LiteralExpression::AbstractFloat(short(moved(value as f64, strength, rng)))
        }
        LiteralExpression::AbstractFloat(value) => LiteralExpression::AbstractFloat(short(moved(value, strength, rng))),
        LiteralExpression::F32(value) => LiteralExpression::F32(short(moved(f64::from(value), strength, rng)) as f32),
        LiteralExpression::AbstractInt(value) => {
            LiteralExpression::AbstractInt((value * factor + step).clamp(-65_536, 65_536))
        }
        LiteralExpression::I32(value) => {
            LiteralExpression::I32(value.wrapping_mul(factor as i32).wrapping_add(step as i32).max(i32::MIN + 1))
        }
        LiteralExpression::U32(value) => {
            LiteralExpression::U32(value.wrapping_mul(factor as u32).wrapping_add_signed(step as i32))
        }
        LiteralExpression::F16(_) => return None,
    };
    Some(())
}

fn other_operation(node: &mut ExpressionNode, rng: &mut Rng) -> Option<()> {
    use BinaryOperator as Op;
    let Expression::Binary(binary) = node.node_mut() else { return None };
    let family: &[Op] = match binary.operator {
        Op::Addition | Op::Subtraction | Op::Multiplication | Op::Division | Op::Remainder => {
            if rng.u8(..4) == 0 && binary.operator != Op::Remainder {
                std::mem::swap(&mut binary.left, &mut binary.right);
                return Some(());
            }
            &[Op::Addition, Op::Subtraction, Op::Multiplication, Op::Division, Op::Remainder]
        }
        Op::Equality | Op::Inequality | Op::LessThan | Op::LessThanEqual | Op::GreaterThan | Op::GreaterThanEqual => {
            &[Op::LessThan, Op::LessThanEqual, Op::GreaterThan, Op::GreaterThanEqual, Op::Equality, Op::Inequality]
        }
        Op::ShortCircuitAnd | Op::ShortCircuitOr => &[Op::ShortCircuitAnd, Op::ShortCircuitOr],
        Op::BitwiseAnd | Op::BitwiseOr | Op::BitwiseXor => &[Op::BitwiseAnd, Op::BitwiseOr, Op::BitwiseXor],
        Op::ShiftLeft | Op::ShiftRight => &[Op::ShiftLeft, Op::ShiftRight],
    };
    binary.operator = family[rng.usize(..family.len())];
    Some(())
}

fn builtin(node: &mut ExpressionNode, rng: &mut Rng) -> Option<()> {
    let Expression::FunctionCall(function) = node.node_mut() else { return None };
    let known = function.ty.ident.name().clone();
    let family: &[&str] = match (known.as_str(), function.arguments.len()) {
        (name, 1)
            if SAME.contains(&name)
                || ["log", "log2", "round", "trunc", "normalize", "inverseSqrt"].contains(&name) =>
        {
            &SAME
        }
        (name, 2) if PAIRS.contains(&name) => &PAIRS,
        ("mix" | "smoothstep" | "clamp" | "fma", 3) => &["mix", "smoothstep", "clamp", "fma"],
        ("distance" | "dot", 2) => &["distance", "dot"],
        ("any" | "all", 1) => &["any", "all"],
        _ => return None,
    };
    if family.len() == PAIRS.len() && rng.bool() {
        function.arguments.swap(0, 1);
        return Some(());
    }
    let arguments = function.arguments.iter().map(|argument| argument.node().clone()).collect();
    let chosen = build::pick(family, rng);
    replace(node, call(chosen, arguments))
}

fn swizzle(node: &mut ExpressionNode, site: &Site, rng: &mut Rng) -> Option<()> {
    let Expression::NamedComponent(component) = node.node_mut() else { return None };
    let wanted = match site.ty.as_ref()? {
        Type::Scalar(_) => 1,
        Type::Vector(width, _) => *width,
        _ => return None,
    };
    let width = match component.base.node() {
        Expression::TypeOrIdentifier(base) => match site.scope.find(&base.ident.name())? {
            Type::Vector(width, _) => *width,
            _ => return None,
        },
        _ => 2,
    };
    let pattern: String = (0..wanted).map(|_| ['x', 'y', 'z', 'w'][rng.usize(..width)]).collect();
    let base = component.base.node().clone();
    replace(node, part(base, &pattern))
}

fn wrap(node: &mut ExpressionNode, site: &Site, rng: &mut Rng) -> Option<()> {
    let ty = site.ty.as_ref()?;
    let own = node.node().clone();
    let wrapped = match ty {
        Type::Scalar(Scalar::Float) if rng.u8(..4) == 0 => {
            // Moves the value into another range, or compares it with a threshold.
            let (low, high) = (rng.f64(), rng.f64());
            match rng.u8(..3) {
                0 => call("smoothstep", vec![number(low.min(high)), number(low.max(high)), own]),
                _ => call("mix", vec![number(low), number(high), own]),
            }
        }
        Type::Scalar(Scalar::Float) | Type::Vector(_, Scalar::Float) => match rng.u8(..6) {
            0 => call(build::pick(&SAME, rng), vec![own]),
            1 => {
                let scaled = operation(own, BinaryOperator::Multiplication, number(any_number(rng)));
                call(build::pick(&SAME, rng), vec![scaled])
            }
            2 => call(
                "mix",
                vec![own, grow(ty, &site.scope, rng, 2)?, grow(&Type::Scalar(Scalar::Float), &site.scope, rng, 2)?],
            ),
            3 => operation(own, build::arithmetic(rng), number(any_number(rng))),
            _ => {
                let grown = grow(ty, &site.scope, rng, 1)?;
                if rng.bool() {
                    operation(own, build::arithmetic(rng), grown)
                } else {
                    operation(grown, build::arithmetic(rng), own)
                }
            }
        },
        Type::Scalar(Scalar::Int | Scalar::Uint) => {
            operation(own, BinaryOperator::Addition, grow(ty, &site.scope, rng, 2)?)
        }
        Type::Scalar(Scalar::Bool) => {
            let both = if rng.bool() { BinaryOperator::ShortCircuitAnd } else { BinaryOperator::ShortCircuitOr };
            operation(own, both, grow(ty, &site.scope, rng, 2)?)
        }
        _ => return None,
    };
    replace(node, wrapped)
}

fn shrink(node: &mut ExpressionNode, site: &Site, rng: &mut Rng) -> Option<()> {
    let ty = site.ty.as_ref()?;
    let names: Vec<&str> =
        site.scope.variables.iter().filter(|(_, known)| known == ty).map(|(name, _)| &**name).collect();
    if !names.is_empty() && rng.bool() {
        return replace(node, name(names[rng.usize(..names.len())]));
    }
    // Most terms and factors simplify to zero or one.
    let plain = match ty {
        Type::Scalar(Scalar::Float) => Some(number(f64::from(rng.u8(..2)))),
        Type::Vector(width, Scalar::Float) => Some(call(&format!("vec{width}f"), vec![number(f64::from(rng.u8(..2)))])),
        _ => None,
    };
    let chosen = if rng.bool() { plain.or_else(|| literal(ty, rng)) } else { literal(ty, rng) };
    replace(node, chosen?)
}

/// Simplifies a random place where that is possible.
fn simplify(unit: &mut TranslationUnit, survey: &Survey, rng: &mut Rng) -> bool {
    let is_scalar = |site: &Site| matches!(site.ty, Some(Type::Scalar(_)));
    let floats = |site: &Site| site.size > 1 && site.ty.as_ref().and_then(Type::scalar) == Some(Scalar::Float);
    let mut found = Vec::new();
    for (number, site) in survey.sites.iter().enumerate().filter(|(_, site)| floats(site)) {
        with_expression(unit, number, |node| {
            found.extend(simpler(node, is_scalar(site)).map(|shorter| (number, shorter)));
        });
    }
    if found.is_empty() {
        return false;
    }
    let (number, shorter) = found.swap_remove(rng.usize(..found.len()));
    with_expression(unit, number, |node| *node.node_mut() = shorter)
}

fn hoist(unit: &mut TranslationUnit, survey: &Survey, rng: &mut Rng) -> bool {
    let Some(number) = choose(survey, rng, |site| site.size > 1 && site.ty.is_some()) else { return false };
    let site = &survey.sites[number];
    let inner: Vec<usize> =
        (number + 1..number + site.size).filter(|&inner| survey.sites[inner].ty == site.ty).collect();
    if inner.is_empty() {
        return false;
    }
    let chosen = inner[rng.usize(..inner.len())];
    let mut part = None;
    with_expression(unit, chosen, |node| part = Some(node.node().clone()));
    part.is_some_and(|part| with_expression(unit, number, |node| *node.node_mut() = part))
}

/// Copies an expression of `donor` to a place of the same type where all its names exist with the same types.
fn copy(unit: &mut TranslationUnit, survey: &Survey, donor: &Parent<'_>, rng: &mut Rng) -> bool {
    let Some(number) = choose(survey, rng, growable) else { return false };
    let site = &survey.sites[number];
    let fits = |other: &Site| other.ty == site.ty && !other.constant && other.size <= 64;
    let Some(chosen) = choose(donor.survey, rng, fits) else { return false };
    let taken = &donor.survey.sites[chosen];
    let mut source = donor.unit.clone();
    let mut expression = None;
    with_expression(&mut source, chosen, |node| expression = Some(node.node().clone()));
    let Some(expression) = expression else { return false };
    if !names_fit(&expression, &taken.scope, &site.scope) {
        return false;
    }
    with_expression(unit, number, |node| *node.node_mut() = expression)
}

fn names_fit(expression: &Expression, from: &super::survey::Scope, to: &super::survey::Scope) -> bool {
    match expression {
        Expression::TypeOrIdentifier(used) => {
            let used = used.ident.name();
            to.find(&used).is_some() && to.find(&used) == from.find(&used)
        }
        Expression::Literal(_) => true,
        Expression::Parenthesized(inner) => names_fit(&inner.expression, from, to),
        Expression::NamedComponent(part) => names_fit(&part.base, from, to),
        Expression::Indexing(part) => names_fit(&part.base, from, to) && names_fit(&part.index, from, to),
        Expression::Unary(unary) => {
            !matches!(unary.operator, UnaryOperator::AddressOf | UnaryOperator::Indirection)
                && names_fit(&unary.operand, from, to)
        }
        Expression::Binary(binary) => names_fit(&binary.left, from, to) && names_fit(&binary.right, from, to),
        Expression::FunctionCall(call) => call.arguments.iter().all(|argument| names_fit(argument, from, to)),
    }
}

fn drop_statement(unit: &mut TranslationUnit, survey: &Survey, rng: &mut Rng) -> bool {
    struct Drop {
        left: Option<usize>,
    }
    impl Visitor for Drop {
        fn root(&mut self, _: &mut ExpressionNode, _: Role<'_>) {}

        fn block(&mut self, statements: &mut Vec<StatementNode>) {
            let Some(left) = self.left else { return };
            let candidates: Vec<usize> = (0..statements.len()).filter(|&at| may_go(&statements[at])).collect();
            match candidates.get(left) {
                Some(&at) => {
                    // The body of an `if` may be useful without its condition.
                    let kept = match statements[at].node_mut() {
                        Statement::If(choice) => Some(std::mem::take(&mut choice.if_clause.body)),
                        _ => None,
                    };
                    match kept {
                        Some(body) if left % 2 == 0 => *statements[at].node_mut() = Statement::Compound(body),
                        _ => drop(statements.remove(at)),
                    }
                    self.left = None;
                }
                None => self.left = Some(left - candidates.len()),
            }
        }
    }
    if survey.statements == 0 {
        return false;
    }
    let mut visitor = Drop { left: Some(rng.usize(..survey.statements)) };
    walk(unit, &mut visitor);
    visitor.left.is_none()
}
