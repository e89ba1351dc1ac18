// Finds out, once, whether this document allows text to run as code, and if not, what forbids it.

import { realmOf, type Realm, type Trust } from "./realm.js";

export interface Ability {
  readonly realm: Realm | undefined;
  readonly trust: Trust | undefined;
  readonly trustUrl: (url: string) => string;
  /** Why code cannot run, in the terms of the protocol; empty if it can. */
  readonly blocked: "" | "CSP" | "Trusted Types" | "the page refuses";
}

interface Policy {
  createScript(code: string): string;
  createScriptURL(url: string): string;
}

interface TrustedTypes {
  createPolicy(name: string, rules: Policy): Policy;
}

const same = (text: string): string => text;

export function ability(allowed: boolean): Ability {
  const types = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;
  let realm = realmWith(undefined);
  let trust: Trust | undefined;
  let trustUrl = same;
  let blocked: Ability["blocked"] = "CSP";
  if (realm === undefined && types !== undefined) {
    try {
      const policy = types.createPolicy("eye", { createScript: same, createScriptURL: same });
      trust = (code) => policy.createScript(code);
      trustUrl = (url) => policy.createScriptURL(url);
      realm = realmWith(trust);
    } catch {
      blocked = "Trusted Types";
    }
  }
  if (realm !== undefined) blocked = allowed ? "" : "the page refuses";
  return { realm: blocked === "" ? realm : undefined, trust, trustUrl, blocked };
}

function realmWith(trust: Trust | undefined): Realm | undefined {
  try {
    const realm = realmOf(globalThis, trust);
    return realm.compiles("", true) ? realm : undefined;
  } catch {
    return undefined;
  }
}
