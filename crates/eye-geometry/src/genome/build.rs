//! Builds expressions: names, literals, calls and operations, and random ones of a given type.

use super::survey::Scope;
use super::types::{PAIRS, SAME, Scalar, Type};
use fastrand::Rng;
use wgsl_parse::syntax::{
    BinaryExpression, BinaryOperator, Expression, ExpressionNode, FunctionCall, Ident, LiteralExpression,
    NamedComponentExpression, TypeExpression,
};

/// The maximum depth of a random expression.
const DEPTH_MAX: u32 = 3;

fn type_expression(name: &str) -> TypeExpression {
    TypeExpression { ident: Ident::new(name.to_owned()), template_args: None }
}

pub fn name(name: &str) -> Expression {
    Expression::TypeOrIdentifier(type_expression(name))
}

pub fn call(function: &str, arguments: Vec<Expression>) -> Expression {
    Expression::FunctionCall(FunctionCall {
        ty: type_expression(function),
        arguments: arguments.into_iter().map(ExpressionNode::from).collect(),
    })
}

pub fn operation(left: Expression, operator: BinaryOperator, right: Expression) -> Expression {
    Expression::Binary(BinaryExpression { operator, left: left.into(), right: right.into() })
}

pub fn part(base: Expression, component: &str) -> Expression {
    Expression::NamedComponent(NamedComponentExpression {
        base: base.into(),
        component: Ident::new(component.to_owned()),
    })
}

/// A literal with few digits: people read them, and breeding makes finer steps.
pub fn number(value: f64) -> Expression {
    Expression::Literal(LiteralExpression::AbstractFloat(short(value)))
}

/// Rounds to five significant digits, and limits to a range that a float can hold.
pub fn short(value: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return 0.0;
    }
    let held = value.clamp(-1e6, 1e6);
    let digits = 10f64.powf(4.0 - held.abs().log10().floor());
    let rounded = (held * digits).round() / digits;
    if rounded.abs() < 1e-6 { 0.0 } else { rounded }
}

/// A random number of a typical size for shaders.
pub fn any_number(rng: &mut Rng) -> f64 {
    let value = match rng.u8(..5) {
        0 | 1 => rng.f64(),
        2 => rng.f64() * 2.0,
        3 => rng.f64() * 10.0,
        _ => (rng.f64() * 8.0).exp2(),
    };
    if rng.u8(..4) == 0 { -value } else { value }
}

/// A random expression of this type from the names in scope; `None` if there is none.
pub fn grow(ty: &Type, scope: &Scope, rng: &mut Rng, depth: u32) -> Option<Expression> {
    let is_leaf = depth >= DEPTH_MAX || rng.u32(..=DEPTH_MAX) < depth;
    if is_leaf && let Some(leaf) = leaf(ty, scope, rng) {
        return Some(leaf);
    }
    let inner = |ty: &Type, rng: &mut Rng| {
        if depth >= DEPTH_MAX { leaf(ty, scope, rng) } else { grow(ty, scope, rng, depth + 1) }
    };
    match ty {
        Type::Scalar(Scalar::Float) => match rng.u8(..10) {
            0..=2 => Some(call(pick(&SAME, rng), vec![inner(ty, rng)?])),
            3 => Some(call(pick(&PAIRS, rng), vec![inner(ty, rng)?, inner(ty, rng)?])),
            4 => {
                let vector = Type::Vector(rng.usize(2..=3), Scalar::Float);
                Some(call("length", vec![inner(&vector, rng)?]))
            }
            5 => Some(call("mix", vec![inner(ty, rng)?, inner(ty, rng)?, inner(ty, rng)?])),
            _ => Some(operation(inner(ty, rng)?, arithmetic(rng), inner(ty, rng)?)),
        },
        Type::Vector(size, Scalar::Float) => match rng.u8(..8) {
            0 | 1 => {
                let parts = (0..*size).map(|_| inner(&Type::Scalar(Scalar::Float), rng)).collect::<Option<_>>()?;
                Some(call(&format!("vec{size}f"), parts))
            }
            2 => Some(call(pick(&SAME, rng), vec![inner(ty, rng)?])),
            3 => Some(operation(
                inner(ty, rng)?,
                BinaryOperator::Multiplication,
                inner(&Type::Scalar(Scalar::Float), rng)?,
            )),
            4 => Some(call("mix", vec![inner(ty, rng)?, inner(ty, rng)?, inner(&Type::Scalar(Scalar::Float), rng)?])),
            _ => Some(operation(inner(ty, rng)?, arithmetic(rng), inner(ty, rng)?)),
        },
        Type::Scalar(Scalar::Bool) => {
            let float = Type::Scalar(Scalar::Float);
            Some(operation(inner(&float, rng)?, comparison(rng), inner(&float, rng)?))
        }
        Type::Scalar(Scalar::Int | Scalar::Uint) => {
            let operators = [BinaryOperator::Addition, BinaryOperator::Subtraction, BinaryOperator::Multiplication];
            Some(operation(inner(ty, rng)?, operators[rng.usize(..3)], inner(ty, rng)?))
        }
        _ => leaf(ty, scope, rng),
    }
}

/// A name, a part of a variable, or a literal.
fn leaf(ty: &Type, scope: &Scope, rng: &mut Rng) -> Option<Expression> {
    let mut found: Vec<Expression> = Vec::new();
    for (variable, known) in &scope.variables {
        if known == ty {
            found.push(name(variable));
        }
        if let (Type::Vector(size, scalar), Type::Scalar(wanted)) = (known, ty)
            && scalar == wanted
        {
            found.extend(["x", "y", "z", "w"].iter().take(*size).map(|component| part(name(variable), component)));
        }
        if let (Type::Vector(size, scalar), Type::Vector(wanted, wanted_scalar)) = (known, ty)
            && scalar == wanted_scalar
            && size != wanted
        {
            let pattern: String = (0..*wanted).map(|_| ['x', 'y', 'z', 'w'][rng.usize(..*size)]).collect();
            found.push(part(name(variable), &pattern));
        }
    }
    if !found.is_empty() && rng.u8(..4) > 0 {
        let at = rng.usize(..found.len());
        return Some(found.swap_remove(at));
    }
    literal(ty, rng).or_else(|| found.pop())
}

/// A random constant of this type.
pub fn literal(ty: &Type, rng: &mut Rng) -> Option<Expression> {
    match ty {
        Type::Scalar(Scalar::Float | Scalar::AbstractFloat) => Some(number(any_number(rng))),
        Type::Scalar(Scalar::Int | Scalar::AbstractInt) => {
            Some(Expression::Literal(LiteralExpression::AbstractInt(rng.i64(0..16))))
        }
        Type::Scalar(Scalar::Uint) => Some(Expression::Literal(LiteralExpression::U32(rng.u32(..64)))),
        Type::Scalar(Scalar::Bool) => Some(Expression::Literal(LiteralExpression::Bool(rng.bool()))),
        Type::Vector(size, Scalar::Float) => Some(call(&format!("vec{size}f"), vec![number(any_number(rng))])),
        _ => None,
    }
}

pub fn pick<'a>(list: &[&'a str], rng: &mut Rng) -> &'a str {
    list[rng.usize(..list.len())]
}

pub fn arithmetic(rng: &mut Rng) -> BinaryOperator {
    use BinaryOperator::{Addition, Division, Multiplication, Subtraction};
    [Addition, Subtraction, Multiplication, Multiplication, Division][rng.usize(..5)]
}

pub fn comparison(rng: &mut Rng) -> BinaryOperator {
    use BinaryOperator::{GreaterThan, GreaterThanEqual, LessThan, LessThanEqual};
    [GreaterThan, GreaterThanEqual, LessThan, LessThanEqual][rng.usize(..4)]
}
