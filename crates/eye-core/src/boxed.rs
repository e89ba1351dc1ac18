//! A map of large values. A hash table has up to twice as many places as entries, and an empty place is as large as a
//! full one, so each value has an allocation of its own.

use rustc_hash::FxHashMap;
use std::borrow::Borrow;
use std::hash::Hash;

#[derive(Debug)]
pub struct BoxedMap<K, V>(FxHashMap<K, Box<V>>);

impl<K, V> Default for BoxedMap<K, V> {
    fn default() -> Self {
        Self(FxHashMap::default())
    }
}

impl<K: Eq + Hash, V> BoxedMap<K, V> {
    pub fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.0.get(key).map(|value| &**value)
    }

    pub fn get_mut<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.0.get_mut(key).map(|value| &mut **value)
    }

    pub fn contains_key<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.0.contains_key(key)
    }

    pub fn insert(&mut self, key: K, value: V) -> Option<Box<V>> {
        self.0.insert(key, Box::new(value))
    }

    pub fn remove<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<Box<V>>
    where
        K: Borrow<Q>,
    {
        self.0.remove(key)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn keys(&self) -> impl Iterator<Item = &K> + Clone {
        self.0.keys()
    }

    pub fn values(&self) -> impl Iterator<Item = &V> + Clone {
        self.0.values().map(|value| &**value)
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut V> {
        self.0.values_mut().map(|value| &mut **value)
    }

    pub fn entries(&self) -> impl Iterator<Item = (&K, &V)> + Clone {
        self.0.iter().map(|(key, value)| (key, &**value))
    }
}
