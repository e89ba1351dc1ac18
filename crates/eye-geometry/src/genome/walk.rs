//! Walks over all expressions of a shader in one fixed order, to count, type or change them. Skips left sides of
//! assignments, attributes, template arguments and case selectors: breeding does not change them.

use wgsl_parse::syntax::{
    CompoundStatement, Declaration, DeclarationKind, Expression, ExpressionNode, Function, GlobalDeclaration,
    Statement, StatementNode, TranslationUnit, UnaryOperator,
};

/// The role of an expression at the root of a statement.
pub enum Role<'a> {
    /// The initial value of a declaration.
    Initial(&'a Declaration),
    /// The value that is assigned to this place.
    Assigned(&'a ExpressionNode),
    Returned,
    Condition,
    Other,
}

/// Is called for everything on the walk.
pub trait Visitor {
    /// An expression that is not part of another one.
    fn root(&mut self, expression: &mut ExpressionNode, role: Role<'_>);
    fn enter(&mut self) {}
    fn leave(&mut self) {}
    fn function(&mut self, _function: &Function) {}
    fn declared(&mut self, _declaration: &Declaration) {}
    /// A block, before its statements are visited.
    fn block(&mut self, _statements: &mut Vec<StatementNode>) {}
}

/// Walks over a whole module.
pub fn walk(unit: &mut TranslationUnit, visitor: &mut dyn Visitor) {
    for declaration in &mut unit.global_declarations {
        match declaration.node_mut() {
            GlobalDeclaration::Declaration(declaration) => {
                if declaration.kind != DeclarationKind::Override {
                    initial(declaration, visitor);
                }
                visitor.declared(declaration);
            }
            GlobalDeclaration::Function(function) => {
                visitor.enter();
                visitor.function(function);
                block(&mut function.body, visitor);
                visitor.leave();
            }
            GlobalDeclaration::Void
            | GlobalDeclaration::TypeAlias(_)
            | GlobalDeclaration::Struct(_)
            | GlobalDeclaration::ConstAssert(_) => {}
        }
    }
}

fn initial(declaration: &mut Declaration, visitor: &mut dyn Visitor) {
    if let Some(mut expression) = declaration.initializer.take() {
        visitor.root(&mut expression, Role::Initial(declaration));
        declaration.initializer = Some(expression);
    }
}

fn block(compound: &mut CompoundStatement, visitor: &mut dyn Visitor) {
    visitor.enter();
    visitor.block(&mut compound.statements);
    for node in &mut compound.statements {
        statement(node, visitor);
    }
    visitor.leave();
}

fn statement(node: &mut StatementNode, visitor: &mut dyn Visitor) {
    match node.node_mut() {
        Statement::Compound(compound) => block(compound, visitor),
        Statement::Assignment(assignment) => visitor.root(&mut assignment.rhs, Role::Assigned(&assignment.lhs)),
        Statement::If(choice) => {
            visitor.root(&mut choice.if_clause.expression, Role::Condition);
            block(&mut choice.if_clause.body, visitor);
            for clause in &mut choice.else_if_clauses {
                visitor.root(&mut clause.expression, Role::Condition);
                block(&mut clause.body, visitor);
            }
            if let Some(clause) = &mut choice.else_clause {
                block(&mut clause.body, visitor);
            }
        }
        Statement::Switch(choice) => {
            visitor.root(&mut choice.expression, Role::Other);
            for clause in &mut choice.clauses {
                block(&mut clause.body, visitor);
            }
        }
        Statement::Loop(repeated) => {
            block(&mut repeated.body, visitor);
            if let Some(continuing) = &mut repeated.continuing {
                block(&mut continuing.body, visitor);
                if let Some(condition) = &mut continuing.break_if {
                    visitor.root(&mut condition.expression, Role::Condition);
                }
            }
        }
        Statement::For(repeated) => {
            visitor.enter();
            if let Some(initializer) = &mut repeated.initializer {
                statement(initializer, visitor);
            }
            if let Some(condition) = &mut repeated.condition {
                visitor.root(condition, Role::Condition);
            }
            if let Some(update) = &mut repeated.update {
                statement(update, visitor);
            }
            block(&mut repeated.body, visitor);
            visitor.leave();
        }
        Statement::While(repeated) => {
            visitor.root(&mut repeated.condition, Role::Condition);
            block(&mut repeated.body, visitor);
        }
        Statement::Return(returned) => {
            if let Some(expression) = &mut returned.expression {
                visitor.root(expression, Role::Returned);
            }
        }
        Statement::FunctionCall(call) => {
            for argument in &mut call.call.arguments {
                visitor.root(argument, Role::Other);
            }
        }
        Statement::Declaration(declaration) => {
            initial(declaration, visitor);
            visitor.declared(declaration);
        }
        Statement::Void
        | Statement::Increment(_)
        | Statement::Decrement(_)
        | Statement::Break(_)
        | Statement::Continue(_)
        | Statement::Discard(_)
        | Statement::ConstAssert(_) => {}
    }
}

/// The direct subexpressions, in order. The operands of `&` and `*` are left out: they must remain places.
pub fn children(expression: &mut Expression) -> Vec<&mut ExpressionNode> {
    match expression {
        Expression::Parenthesized(inner) => vec![&mut inner.expression],
        Expression::NamedComponent(part) => vec![&mut part.base],
        Expression::Indexing(part) => vec![&mut part.base, &mut part.index],
        Expression::Unary(unary) if matches!(unary.operator, UnaryOperator::AddressOf | UnaryOperator::Indirection) => {
            Vec::new()
        }
        Expression::Unary(unary) => vec![&mut unary.operand],
        Expression::Binary(binary) => vec![&mut binary.left, &mut binary.right],
        Expression::FunctionCall(call) => call.arguments.iter_mut().collect(),
        Expression::Literal(_) | Expression::TypeOrIdentifier(_) => Vec::new(),
    }
}

/// The number of expressions in an expression, itself included.
pub fn count(expression: &mut Expression) -> usize {
    1 + children(expression).into_iter().map(|child| count(child)).sum::<usize>()
}

/// Calls `act` with the expression of this number in the order of the walk. Returns whether there is one.
pub fn with_expression(unit: &mut TranslationUnit, number: usize, act: impl FnOnce(&mut ExpressionNode)) -> bool {
    struct Finder<F> {
        left: usize,
        act: Option<F>,
    }
    impl<F: FnOnce(&mut ExpressionNode)> Visitor for Finder<F> {
        fn root(&mut self, expression: &mut ExpressionNode, _: Role<'_>) {
            if self.act.is_none() {
                return;
            }
            let size = count(expression);
            if self.left >= size {
                self.left -= size;
                return;
            }
            if let Some(act) = self.act.take() {
                descend(expression, self.left, act);
            }
        }
    }
    let mut finder = Finder { left: number, act: Some(act) };
    walk(unit, &mut finder);
    finder.act.is_none()
}

fn descend(node: &mut ExpressionNode, mut left: usize, act: impl FnOnce(&mut ExpressionNode)) {
    if left == 0 {
        return act(node);
    }
    left -= 1;
    for child in children(node) {
        let size = count(child);
        if left < size {
            return descend(child, left, act);
        }
        left -= size;
    }
}
