//! Simplifies expressions: removes terms that add nothing, factors of one, and operations that cancel out.

use super::build::{call, number, operation};
use wgsl_parse::syntax::{BinaryOperator, Expression, ExpressionNode, LiteralExpression, UnaryOperator};

/// A cheaper expression of the same type and value, as far as the node itself shows; `None` if there is none.
pub fn simpler(node: &ExpressionNode, is_scalar: bool) -> Option<Expression> {
    match node.node() {
        Expression::Binary(binary) => simpler_operation(binary.operator, &binary.left, &binary.right, is_scalar),
        Expression::FunctionCall(function) => {
            let arguments: Vec<&ExpressionNode> = function.arguments.iter().collect();
            simpler_call(&function.ty.ident.name(), &arguments, is_scalar)
        }
        Expression::Unary(unary) if unary.operator == UnaryOperator::Negation => match unary.operand.node() {
            Expression::Unary(inner) if inner.operator == UnaryOperator::Negation => Some(inner.operand.node().clone()),
            _ => None,
        },
        Expression::Literal(_)
        | Expression::Parenthesized(_)
        | Expression::NamedComponent(_)
        | Expression::Indexing(_)
        | Expression::Unary(_)
        | Expression::TypeOrIdentifier(_) => None,
    }
}

/// The value of a literal, or of a vector whose components are all equal.
#[allow(clippy::cast_precision_loss, reason = "literals of shaders are small")]
fn value(node: &ExpressionNode) -> Option<f64> {
    match node.node() {
        Expression::Literal(LiteralExpression::AbstractInt(number)) => Some(*number as f64),
        Expression::Literal(LiteralExpression::AbstractFloat(number)) => Some(*number),
        Expression::Literal(LiteralExpression::F32(number)) => Some(f64::from(*number)),
        Expression::FunctionCall(call) if call.ty.ident.name().starts_with("vec") && call.arguments.len() == 1 => {
            value(&call.arguments[0])
        }
        Expression::Unary(unary) if unary.operator == UnaryOperator::Negation => {
            value(&unary.operand).map(|number| -number)
        }
        _ => None,
    }
}

#[allow(clippy::float_cmp, reason = "a literal is exactly what was written")]
fn is(node: &ExpressionNode, wanted: f64) -> bool {
    value(node) == Some(wanted)
}

/// Whether duplicating the expression costs nothing.
fn is_free(node: &ExpressionNode) -> bool {
    match node.node() {
        Expression::TypeOrIdentifier(_) | Expression::Literal(_) => true,
        Expression::NamedComponent(part) => is_free(&part.base),
        _ => false,
    }
}

/// Whether the other operand has the type of the whole expression, because the literal is a scalar.
fn keeps_type(literal: &ExpressionNode, is_scalar: bool) -> bool {
    is_scalar || matches!(literal.node(), Expression::Literal(_))
}

fn simpler_operation(
    operator: BinaryOperator,
    left: &ExpressionNode,
    right: &ExpressionNode,
    is_scalar: bool,
) -> Option<Expression> {
    use BinaryOperator::{Addition, Division, Multiplication, Subtraction};
    let (one, other) = (left.node().clone(), right.node().clone());
    if is_scalar && let (Some(first), Some(second)) = (value(left), value(right)) {
        return match operator {
            Addition => Some(number(first + second)),
            Subtraction => Some(number(first - second)),
            Multiplication => Some(number(first * second)),
            Division if second != 0.0 => Some(number(first / second)),
            _ => None,
        };
    }
    match operator {
        Addition | Subtraction if is(right, 0.0) && keeps_type(right, is_scalar) => Some(one),
        Addition if is(left, 0.0) && keeps_type(left, is_scalar) => Some(other),
        Multiplication | Division if is(right, 1.0) && keeps_type(right, is_scalar) => Some(one),
        Multiplication if is(left, 1.0) && keeps_type(left, is_scalar) => Some(other),
        Multiplication if is_scalar && (is(left, 0.0) || is(right, 0.0)) => Some(number(0.0)),
        Division => {
            let divisor =
                value(right).filter(|divisor| *divisor != 0.0 && matches!(right.node(), Expression::Literal(_)))?;
            // Not rounded like bred literals: the factor must be as exact as the division.
            let inverse = Expression::Literal(LiteralExpression::AbstractFloat(1.0 / divisor));
            Some(operation(one, Multiplication, inverse))
        }
        _ => None,
    }
}

fn simpler_call(function: &str, arguments: &[&ExpressionNode], is_scalar: bool) -> Option<Expression> {
    let own = |at: usize| arguments[at].node().clone();
    match (function, arguments) {
        ("pow", [_, exponent]) if is(exponent, 1.0) => Some(own(0)),
        ("pow", [base, exponent]) if is(exponent, 2.0) => {
            // The square of an absolute value is the square of the value.
            let base = match base.node() {
                Expression::FunctionCall(inner) if *inner.ty.ident.name() == "abs" => inner.arguments.first()?,
                _ => base,
            };
            is_free(base).then(|| operation(base.node().clone(), BinaryOperator::Multiplication, base.node().clone()))
        }
        ("pow", [base, exponent]) if is(exponent, 0.5) => Some(call("sqrt", vec![base.node().clone()])),
        ("mix", [first, last, share]) if is_scalar => {
            if is(first, 0.0) && is(last, 1.0) {
                return Some(own(2));
            }
            if is(share, 0.0) {
                return Some(own(0));
            }
            is(share, 1.0).then(|| own(1))
        }
        ("clamp", [_, low, high]) if is(low, 0.0) && is(high, 1.0) => Some(call("saturate", vec![own(0)])),
        ("exp" | "log" | "exp2" | "log2" | "abs" | "floor" | "saturate" | "normalize", [inner]) => {
            let Expression::FunctionCall(inside) = inner.node() else { return None };
            let undone = match function {
                "exp" => "log",
                "log" => "exp",
                "exp2" => "log2",
                "log2" => "exp2",
                same => same,
            };
            let repeated = undone == function;
            let found = *inside.ty.ident.name() == undone && inside.arguments.len() == 1;
            found.then(|| if repeated { own(0) } else { inside.arguments[0].node().clone() })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::genome;
    use crate::genome::types::FLOAT;
    use crate::genome::walk::with_expression;

    /// The first expression of `main` after one simplification.
    fn simplified(wgsl: &str) -> String {
        let source =
            format!("fn main(uv: vec2f) -> vec4f {{ let x = uv.x; let y = uv.y; let r = {wgsl}; return vec4f(r); }}");
        let mut unit = genome::parse(&source).unwrap();
        let survey = genome::survey(&mut unit);
        // `uv.x` and `uv.y` are two expressions each.
        let is_scalar = survey.sites[4].ty == Some(FLOAT);
        with_expression(&mut unit, 4, |node| {
            if let Some(simpler) = super::simpler(node, is_scalar) {
                *node.node_mut() = simpler;
            }
        });
        let printed = genome::print(&unit);
        printed.lines().find_map(|line| line.trim().strip_prefix("let r = ")).unwrap().trim_end_matches(';').to_owned()
    }

    #[test]
    fn what_changes_nothing_goes() {
        for (wgsl, shorter) in [
            ("x * 1.0", "x"),
            ("1 * (x + y)", "x + y"),
            ("x + 0.0", "x"),
            ("sin(x) * 0.0", "0.0"),
            ("2.0 * 3.0", "6.0"),
            ("pow(x, 2.0)", "x * x"),
            ("pow(abs(uv.x), 2)", "uv.x * uv.x"),
            ("exp(log(x + y))", "x + y"),
            ("abs(abs(x))", "abs(x)"),
            ("mix(0, 1, x)", "x"),
            ("clamp(x, 0, 1)", "saturate(x)"),
            ("x / 4.0", "x * 0.25"),
            ("-(-x)", "x"),
            ("x + y", "x + y"),
            ("pow(sin(x), 2.0)", "pow(sin(x), 2.0)"),
        ] {
            assert_eq!(simplified(wgsl), shorter, "of {wgsl}");
        }
    }
}
