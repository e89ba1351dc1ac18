//! Lists what can change in a shader: every expression with its type, and the names that can replace it.

use super::types::{BOOL, Names, Scalar, Signature, Type};
use super::walk::{Role, Visitor, children, walk};
use std::sync::Arc;
use wgsl_parse::syntax::{
    BinaryOperator, Declaration, DeclarationKind, Expression, ExpressionNode, Function, GlobalDeclaration,
    LiteralExpression, StatementNode, TranslationUnit,
};

/// An expression that may change. Its index in the survey is its number in the order of the walk.
#[derive(Clone, Debug)]
pub struct Site {
    pub ty: Option<Type>,
    /// The number of expressions in it, itself included. The inner ones follow it.
    pub size: usize,
    pub shape: Shape,
    /// Only a constant may stand here.
    pub constant: bool,
    pub scope: Arc<Scope>,
}

/// The kind of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    Literal,
    Name,
    Part,
    Operation,
    Call,
    Other,
}

/// The visible names, inner ones last.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    pub variables: Vec<(Arc<str>, Type)>,
}

impl Scope {
    pub fn find(&self, name: &str) -> Option<&Type> {
        self.variables.iter().rev().find(|(known, _)| **known == *name).map(|(_, ty)| ty)
    }
}

/// All sites of a shader.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    pub sites: Vec<Site>,
    /// The number of removable statements, over all blocks.
    pub statements: usize,
}

/// Surveys all expressions of a shader.
pub fn survey(unit: &mut TranslationUnit) -> Survey {
    let mut surveyor = Surveyor {
        names: names(unit),
        survey: Survey::default(),
        scope: Arc::default(),
        outer: Vec::new(),
        returns: None,
        in_function: false,
        last: None,
    };
    walk(unit, &mut surveyor);
    surveyor.survey
}

/// Whether a statement can be removed without leaving a name undeclared.
pub fn may_go(statement: &StatementNode) -> bool {
    use wgsl_parse::syntax::Statement as Kind;
    match statement.node() {
        Kind::Assignment(_)
        | Kind::Compound(_)
        | Kind::Declaration(_)
        | Kind::Decrement(_)
        | Kind::For(_)
        | Kind::FunctionCall(_)
        | Kind::If(_)
        | Kind::Increment(_)
        | Kind::Switch(_)
        | Kind::While(_) => true,
        Kind::Void
        | Kind::Loop(_)
        | Kind::Break(_)
        | Kind::Continue(_)
        | Kind::Return(_)
        | Kind::Discard(_)
        | Kind::ConstAssert(_) => false,
    }
}

fn names(unit: &TranslationUnit) -> Names {
    let mut names = Names::default();
    // Declarations may come in any order, so the types are read first; the second pass resolves aliases of aliases.
    for _ in 0..2 {
        for declaration in &unit.global_declarations {
            match declaration.node() {
                GlobalDeclaration::Struct(structure) => {
                    let members = structure.members.iter();
                    let known = members
                        .filter_map(|member| Some((member.ident.name().clone(), names.resolve(&member.ty)?)))
                        .collect();
                    names.structs.insert(structure.ident.name().clone(), known);
                }
                GlobalDeclaration::TypeAlias(alias) => {
                    if let Some(ty) = names.resolve(&alias.ty) {
                        names.aliases.insert(alias.ident.name().clone(), ty);
                    }
                }
                GlobalDeclaration::Void
                | GlobalDeclaration::Declaration(_)
                | GlobalDeclaration::Function(_)
                | GlobalDeclaration::ConstAssert(_) => {}
            }
        }
    }
    for declaration in &unit.global_declarations {
        if let GlobalDeclaration::Function(function) = declaration.node() {
            let result = function.return_type.as_ref().and_then(|ty| names.resolve(ty));
            let parameters = function.parameters.iter().map(|parameter| names.resolve(&parameter.ty)).collect();
            names.functions.insert(function.ident.name().clone(), Signature { parameters, result });
        }
    }
    names
}

struct Surveyor {
    names: Names,
    survey: Survey,
    scope: Arc<Scope>,
    outer: Vec<Arc<Scope>>,
    returns: Option<Type>,
    in_function: bool,
    /// The type of the last root expression, for the declaration that it belongs to.
    last: Option<Type>,
}

impl Visitor for Surveyor {
    fn enter(&mut self) {
        self.outer.push(Arc::clone(&self.scope));
    }

    fn leave(&mut self) {
        self.scope = self.outer.pop().unwrap_or_default();
        self.in_function = !self.outer.is_empty();
    }

    fn block(&mut self, statements: &mut Vec<StatementNode>) {
        self.survey.statements += statements.iter().filter(|statement| may_go(statement)).count();
    }

    fn function(&mut self, function: &Function) {
        self.in_function = true;
        self.returns = function.return_type.as_ref().and_then(|ty| self.names.resolve(ty));
        for parameter in &function.parameters {
            if let Some(ty) = self.names.resolve(&parameter.ty) {
                self.declare(&parameter.ident.name(), ty);
            }
        }
    }

    fn declared(&mut self, declaration: &Declaration) {
        let written = declaration.ty.as_ref().and_then(|ty| self.names.resolve(ty));
        let found = if declaration.initializer.is_some() { self.last.take() } else { None };
        if let Some(ty) = written.or(found) {
            self.declare(&declaration.ident.name(), ty);
        }
    }

    fn root(&mut self, expression: &mut ExpressionNode, role: Role<'_>) {
        let first = self.survey.sites.len();
        let constant = !self.in_function
            || matches!(role, Role::Initial(declaration) if declaration.kind == DeclarationKind::Const);
        let found = self.look(expression, constant);
        let wanted = match role {
            Role::Initial(declaration) => declaration.ty.as_ref().and_then(|ty| self.names.resolve(ty)),
            Role::Assigned(place) => self.place(place),
            Role::Returned => self.returns.clone(),
            Role::Condition => Some(BOOL),
            Role::Other => None,
        };
        let scalar = wanted
            .as_ref()
            .and_then(Type::scalar)
            .or_else(|| found.as_ref().and_then(Type::scalar).map(Scalar::settled));
        self.settle(first, scalar);
        self.last = self.survey.sites.get(first).and_then(|site| site.ty.clone());
    }
}

impl Surveyor {
    fn declare(&mut self, name: &str, ty: Type) {
        Arc::make_mut(&mut self.scope).variables.push((name.into(), ty));
    }

    /// The type of the target of an assignment.
    fn place(&self, place: &ExpressionNode) -> Option<Type> {
        match place.node() {
            Expression::TypeOrIdentifier(name) => self.scope.find(&name.ident.name()).cloned(),
            Expression::NamedComponent(part) => self.part(self.place(&part.base)?, &part.component.name()),
            Expression::Indexing(part) => element(self.place(&part.base)?),
            Expression::Parenthesized(inner) => self.place(&inner.expression),
            Expression::Literal(_) | Expression::Unary(_) | Expression::Binary(_) | Expression::FunctionCall(_) => None,
        }
    }

    fn part(&self, base: Type, component: &str) -> Option<Type> {
        match base {
            Type::Vector(_, scalar) if component.len() == 1 => Some(Type::Scalar(scalar)),
            Type::Vector(_, scalar) => Some(Type::Vector(component.len(), scalar)),
            Type::Struct(name) => {
                let members = self.names.structs.get(&*name)?;
                members.iter().find(|(member, _)| member == component).map(|(_, ty)| ty.clone())
            }
            Type::Scalar(_) | Type::Matrix(..) | Type::Array(_) => None,
        }
    }

    /// Gives the literals from index `first` on this type.
    fn settle(&mut self, first: usize, scalar: Option<Scalar>) {
        for site in &mut self.survey.sites[first..] {
            if let Some(ty) = &mut site.ty
                && let Some(own) = ty.scalar()
                && own.is_abstract()
            {
                // A literal with a fraction can only be a float.
                let scalar = if own == Scalar::AbstractFloat { Scalar::Float } else { scalar.unwrap_or(own) };
                *ty = ty.with(scalar);
            }
        }
    }

    fn look(&mut self, node: &mut ExpressionNode, constant: bool) -> Option<Type> {
        let at = self.survey.sites.len();
        let shape = match node.node() {
            Expression::Literal(_) => Shape::Literal,
            Expression::TypeOrIdentifier(_) => Shape::Name,
            Expression::NamedComponent(_) => Shape::Part,
            Expression::Binary(_) => Shape::Operation,
            Expression::FunctionCall(_) => Shape::Call,
            Expression::Parenthesized(_) | Expression::Indexing(_) | Expression::Unary(_) => Shape::Other,
        };
        self.survey.sites.push(Site { ty: None, size: 1, shape, constant, scope: Arc::clone(&self.scope) });
        let mut types = Vec::new();
        let parameters = self.parameters(node.node());
        for (number, child) in children(node).into_iter().enumerate() {
            let first = self.survey.sites.len();
            types.push(self.look(child, constant));
            if let Some(scalar) = parameters.get(number).copied().flatten() {
                self.settle(first, Some(scalar));
            }
        }
        let ty = self.type_of(node.node(), &types);
        // Literal operands take the type of the other operands.
        let takes = match node.node() {
            Expression::Binary(_) => {
                types.iter().flatten().filter_map(Type::scalar).find(|scalar| !scalar.is_abstract())
            }
            Expression::FunctionCall(_) => ty.as_ref().and_then(Type::scalar).filter(|scalar| !scalar.is_abstract()),
            _ => None,
        };
        if let Some(scalar) = takes.filter(|scalar| *scalar != Scalar::Bool) {
            self.settle(at + 1, Some(scalar));
        }
        let size = self.survey.sites.len() - at;
        let own = &mut self.survey.sites[at];
        own.ty.clone_from(&ty);
        own.size = size;
        ty
    }

    /// The types that the parts of an expression must have, if they do not depend on each other.
    fn parameters(&self, expression: &Expression) -> Vec<Option<Scalar>> {
        match expression {
            Expression::Indexing(_) => vec![None, Some(Scalar::Int)],
            Expression::Binary(binary)
                if matches!(binary.operator, BinaryOperator::ShiftLeft | BinaryOperator::ShiftRight) =>
            {
                vec![None, Some(Scalar::Uint)]
            }
            Expression::FunctionCall(call) => match self.names.functions.get(&*call.ty.ident.name()) {
                Some(signature) => signature.parameters.iter().map(|ty| ty.as_ref().and_then(Type::scalar)).collect(),
                None => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn type_of(&self, expression: &Expression, types: &[Option<Type>]) -> Option<Type> {
        match expression {
            Expression::Literal(literal) => Some(Type::Scalar(match literal {
                LiteralExpression::Bool(_) => Scalar::Bool,
                LiteralExpression::AbstractInt(_) => Scalar::AbstractInt,
                LiteralExpression::AbstractFloat(_) => Scalar::AbstractFloat,
                LiteralExpression::I32(_) => Scalar::Int,
                LiteralExpression::U32(_) => Scalar::Uint,
                LiteralExpression::F32(_) => Scalar::Float,
                LiteralExpression::F16(_) => return None,
            })),
            Expression::TypeOrIdentifier(name) => self.scope.find(&name.ident.name()).cloned(),
            Expression::Parenthesized(_) | Expression::Unary(_) => types.first().cloned().flatten(),
            Expression::NamedComponent(part) => self.part(types.first().cloned().flatten()?, &part.component.name()),
            Expression::Indexing(_) => element(types.first().cloned().flatten()?),
            Expression::FunctionCall(call) => self.names.call(&call.ty, types),
            Expression::Binary(binary) => operation(binary.operator, types),
        }
    }
}

fn element(base: Type) -> Option<Type> {
    match base {
        Type::Vector(_, scalar) => Some(Type::Scalar(scalar)),
        Type::Matrix(_, rows) => Some(Type::Vector(rows, Scalar::Float)),
        Type::Array(element) => Some((*element).clone()),
        Type::Scalar(_) | Type::Struct(_) => None,
    }
}

fn operation(operator: BinaryOperator, types: &[Option<Type>]) -> Option<Type> {
    use BinaryOperator::{
        Equality, GreaterThan, GreaterThanEqual, Inequality, LessThan, LessThanEqual, ShortCircuitAnd, ShortCircuitOr,
    };
    let [left, right] = types else { return None };
    let (left, right) = (left.clone()?, right.clone()?);
    if matches!(operator, ShortCircuitAnd | ShortCircuitOr) {
        return Some(BOOL);
    }
    let joined = match (&left, &right) {
        (Type::Matrix(_, rows), Type::Vector(..)) => Type::Vector(*rows, Scalar::Float),
        (Type::Vector(..), Type::Matrix(columns, _)) => Type::Vector(*columns, Scalar::Float),
        (Type::Matrix(_, rows), Type::Matrix(columns, _)) => Type::Matrix(*columns, *rows),
        (Type::Matrix(..), _) | (Type::Vector(..), Type::Scalar(_)) => left.clone(),
        (_, Type::Matrix(..)) | (Type::Scalar(_), Type::Vector(..)) => right.clone(),
        _ => left.clone(),
    };
    // A literal takes the type of the other operand.
    let scalar = [&left, &right].into_iter().filter_map(Type::scalar).find(|scalar| !scalar.is_abstract());
    let fraction = [&left, &right].into_iter().any(|ty| ty.scalar() == Some(Scalar::AbstractFloat));
    let scalar = scalar.unwrap_or(if fraction { Scalar::AbstractFloat } else { Scalar::AbstractInt });
    if matches!(operator, Equality | Inequality | LessThan | LessThanEqual | GreaterThan | GreaterThanEqual) {
        return Some(joined.with(Scalar::Bool));
    }
    Some(joined.with(scalar))
}
