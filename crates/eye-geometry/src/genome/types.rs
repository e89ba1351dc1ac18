//! The types of WGSL, as far as breeding needs them: two subtrees can be exchanged if their types are equal.
//! Expressions of unknown type are not changed; naga validates every child.

use std::collections::HashMap;
use std::sync::Arc;
use wgsl_parse::syntax::{Expression, TemplateArg, TypeExpression};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    Bool,
    Int,
    Uint,
    Float,
    /// A literal whose type depends on its surroundings.
    AbstractInt,
    AbstractFloat,
}

impl Scalar {
    pub fn is_abstract(self) -> bool {
        matches!(self, Self::AbstractInt | Self::AbstractFloat)
    }

    /// The type of a literal if its surroundings do not determine it.
    pub fn settled(self) -> Self {
        match self {
            Self::AbstractInt => Self::Int,
            Self::AbstractFloat => Self::Float,
            concrete @ (Self::Bool | Self::Int | Self::Uint | Self::Float) => concrete,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    Scalar(Scalar),
    Vector(usize, Scalar),
    /// The number of columns, and of rows.
    Matrix(usize, usize),
    Array(Arc<Type>),
    Struct(Arc<str>),
}

pub const FLOAT: Type = Type::Scalar(Scalar::Float);
pub const BOOL: Type = Type::Scalar(Scalar::Bool);

impl Type {
    /// The scalar of a scalar, vector or matrix.
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Self::Scalar(scalar) | Self::Vector(_, scalar) => Some(*scalar),
            Self::Matrix(..) => Some(Scalar::Float),
            Self::Array(_) | Self::Struct(_) => None,
        }
    }

    /// The same shape with another scalar.
    pub fn with(&self, scalar: Scalar) -> Self {
        match self {
            Self::Scalar(_) => Self::Scalar(scalar),
            Self::Vector(size, _) => Self::Vector(*size, scalar),
            other @ (Self::Matrix(..) | Self::Array(_) | Self::Struct(_)) => other.clone(),
        }
    }
}

/// The parameter and result types of a function, as far as they are known.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    pub parameters: Vec<Option<Type>>,
    pub result: Option<Type>,
}

/// The declarations of a module.
#[derive(Clone, Debug, Default)]
pub struct Names {
    pub aliases: HashMap<String, Type>,
    pub structs: HashMap<String, Vec<(String, Type)>>,
    /// The functions of the shader.
    pub functions: HashMap<String, Signature>,
}

impl Names {
    /// The type that a type expression names.
    pub fn resolve(&self, ty: &TypeExpression) -> Option<Type> {
        let name = ty.ident.name();
        let arguments: &[TemplateArg] = ty.template_args.as_deref().unwrap_or(&[]);
        let first = || match arguments.first()?.expression.node() {
            Expression::TypeOrIdentifier(ty) => self.resolve(ty),
            _ => None,
        };
        if let Some(known) = plain(&name) {
            return Some(known);
        }
        if let Some(size) = name.strip_prefix("vec").and_then(digit) {
            return Some(Type::Vector(size, first()?.scalar()?));
        }
        if let Some((columns, rows)) = matrix(&name) {
            return Some(Type::Matrix(columns, rows));
        }
        if *name == "array" {
            return Some(Type::Array(Arc::new(first()?)));
        }
        if self.structs.contains_key(&*name) {
            return Some(Type::Struct(name.as_str().into()));
        }
        self.aliases.get(&*name).cloned()
    }

    /// The result type of a call of `ty` with these arguments: a constructor, a function of the shader, or a built-in.
    pub fn call(&self, ty: &TypeExpression, arguments: &[Option<Type>]) -> Option<Type> {
        if let Some(constructed) = self.resolve(ty) {
            return Some(constructed);
        }
        let name = ty.ident.name();
        let first = || arguments.first().cloned().flatten();
        if let Some(size) = name.strip_prefix("vec").and_then(digit) {
            return Some(Type::Vector(size, first()?.scalar()?.settled()));
        }
        if let Some(signature) = self.functions.get(&*name) {
            return signature.result.clone();
        }
        if *name == "array" {
            return Some(Type::Array(Arc::new(first()?)));
        }
        builtin_result(&name, arguments)
    }
}

fn plain(name: &str) -> Option<Type> {
    let scalar = |name: &str| match name {
        "f32" | "f" => Some(Scalar::Float),
        "i32" | "i" => Some(Scalar::Int),
        "u32" | "u" => Some(Scalar::Uint),
        "bool" => Some(Scalar::Bool),
        _ => None,
    };
    if name.len() > 2
        && let Some(scalar) = scalar(name)
    {
        return Some(Type::Scalar(scalar));
    }
    let (shape, suffix) = (name.get(..4)?, name.get(4..)?);
    Some(Type::Vector(digit(shape.strip_prefix("vec")?)?, scalar(suffix).filter(|_| suffix.len() == 1)?))
}

fn digit(text: &str) -> Option<usize> {
    text.parse().ok().filter(|size| (2..=4).contains(size) && text.len() == 1)
}

fn matrix(name: &str) -> Option<(usize, usize)> {
    let (columns, rows) = name.strip_prefix("mat")?.trim_end_matches('f').split_once('x')?;
    Some((digit(columns)?, digit(rows)?))
}

/// Functions that keep the type and work component by component.
pub const SAME: [&str; 14] =
    ["sin", "cos", "tan", "abs", "fract", "floor", "ceil", "sqrt", "exp", "exp2", "sign", "tanh", "atan", "saturate"];
/// More functions whose result has the type of their first argument.
const FIRST: [&str; 35] = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atanh",
    "cosh",
    "sinh",
    "degrees",
    "radians",
    "inverseSqrt",
    "log",
    "log2",
    "round",
    "trunc",
    "normalize",
    "min",
    "max",
    "clamp",
    "pow",
    "atan2",
    "step",
    "smoothstep",
    "mix",
    "fma",
    "reflect",
    "refract",
    "faceForward",
    "cross",
    "select",
    "dpdx",
    "dpdy",
    "fwidth",
    "countOneBits",
    "reverseBits",
    "ldexp",
];
/// Functions of two operands of the same type.
pub const PAIRS: [&str; 5] = ["min", "max", "pow", "atan2", "step"];

fn builtin_result(name: &str, arguments: &[Option<Type>]) -> Option<Type> {
    if SAME.contains(&name) || FIRST.contains(&name) {
        // A literal takes the type of the other arguments.
        let known = || arguments.iter().flatten().filter(|ty| **ty != BOOL);
        let concrete = known().find(|ty| ty.scalar().is_some_and(|scalar| !scalar.is_abstract()));
        let widest = known().find(|ty| matches!(ty, Type::Vector(..))).or_else(|| known().next())?;
        let scalar = concrete.and_then(Type::scalar).or_else(|| widest.scalar())?;
        let scalar = if scalar == Scalar::AbstractInt && !["min", "max", "clamp", "abs", "select"].contains(&name) {
            Scalar::Float
        } else {
            scalar
        };
        return Some(widest.with(scalar));
    }
    match name {
        "length" | "distance" | "determinant" => Some(FLOAT),
        "dot" => Some(Type::Scalar(arguments.first()?.as_ref()?.scalar()?.settled())),
        "any" | "all" => Some(BOOL),
        _ => None,
    }
}
