//! Parentheses: a tree has none while it is bred; its text gets those that it needs.

use super::walk::{Role, Visitor, children, walk};
use wgsl_parse::syntax::{
    BinaryOperator, Expression, ExpressionNode, LiteralExpression, ParenthesizedExpression, TranslationUnit,
};

/// Removes all parentheses.
pub fn strip(unit: &mut TranslationUnit) {
    struct Strip;
    impl Visitor for Strip {
        fn root(&mut self, expression: &mut ExpressionNode, _: Role<'_>) {
            bare(expression);
        }
    }
    walk(unit, &mut Strip);
}

fn bare(node: &mut ExpressionNode) {
    while let Expression::Parenthesized(inner) = node.node_mut() {
        *node = inner.expression.clone();
    }
    for child in children(node) {
        bare(child);
    }
}

/// Adds the parentheses that are needed.
pub fn add(unit: &mut TranslationUnit) {
    struct Add;
    impl Visitor for Add {
        fn root(&mut self, expression: &mut ExpressionNode, _: Role<'_>) {
            inside(expression);
        }
    }
    walk(unit, &mut Add);
}

fn inside(node: &mut ExpressionNode) {
    match node.node_mut() {
        Expression::Binary(binary) => {
            let outer = binary.operator;
            operand(&mut binary.left, |inner| binds_closer(inner, outer, true));
            operand(&mut binary.right, |inner| binds_closer(inner, outer, false));
        }
        Expression::Unary(unary) => operand(&mut unary.operand, |_| false),
        Expression::NamedComponent(part) => base(&mut part.base),
        Expression::Indexing(part) => {
            base(&mut part.base);
            argument(&mut part.index);
        }
        Expression::FunctionCall(call) => call.arguments.iter_mut().for_each(argument),
        Expression::Parenthesized(inner) => inside(&mut inner.expression),
        Expression::Literal(_) | Expression::TypeOrIdentifier(_) => {}
    }
}

/// Wraps an operand, unless it is a single term or an operation that binds closer.
fn operand(node: &mut ExpressionNode, may_stay: impl Fn(BinaryOperator) -> bool) {
    inside(node);
    let wrap = match node.node() {
        Expression::Binary(binary) => !may_stay(binary.operator),
        Expression::Unary(_) => true,
        Expression::Literal(literal) => is_negative(literal),
        _ => false,
    };
    if wrap {
        wrapped(node);
    }
}

/// Wraps the base of a member or index access if needed.
fn base(node: &mut ExpressionNode) {
    inside(node);
    if matches!(node.node(), Expression::Binary(_) | Expression::Unary(_) | Expression::Literal(_)) {
        wrapped(node);
    }
}

/// Wraps a comparison in an argument list, because it could be parsed as template brackets.
fn argument(node: &mut ExpressionNode) {
    inside(node);
    if matches!(node.node(), Expression::Binary(binary) if strength(binary.operator).is_none()) {
        wrapped(node);
    }
}

fn wrapped(node: &mut ExpressionNode) {
    let span = node.span();
    let placeholder = Expression::Literal(LiteralExpression::Bool(false));
    let expression = std::mem::replace(node.node_mut(), placeholder);
    *node.node_mut() =
        Expression::Parenthesized(ParenthesizedExpression { expression: ExpressionNode::new(expression, span) });
}

fn is_negative(literal: &LiteralExpression) -> bool {
    match literal {
        LiteralExpression::AbstractInt(number) => *number < 0,
        LiteralExpression::I32(number) => *number < 0,
        LiteralExpression::AbstractFloat(number) => number.is_sign_negative(),
        LiteralExpression::F32(number) | LiteralExpression::F16(number) => number.is_sign_negative(),
        LiteralExpression::Bool(_) | LiteralExpression::U32(_) => false,
    }
}

/// The precedence of an arithmetic operator; `None` for the others, which always get parentheses.
fn strength(operator: BinaryOperator) -> Option<u8> {
    match operator {
        BinaryOperator::Addition | BinaryOperator::Subtraction => Some(1),
        BinaryOperator::Multiplication | BinaryOperator::Division | BinaryOperator::Remainder => Some(2),
        _ => None,
    }
}

fn binds_closer(inner: BinaryOperator, outer: BinaryOperator, is_left: bool) -> bool {
    match (strength(inner), strength(outer)) {
        (Some(inner), Some(outer)) => inner > outer || (inner == outer && is_left),
        _ => false,
    }
}
