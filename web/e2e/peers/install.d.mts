// Where the programs of others are.

export function peers(): { readonly node: string; readonly conformance: string; readonly inspector: string; readonly python: string };
