// A shell as a coding agent uses it: runs its exact text, and counts the tokens of commands and output.

import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { spawn } from "node:child_process";

const PATIENCE_MS = 60_000;

export interface Call {
  readonly command: string;
  readonly output: string;
}

export interface Counts {
  readonly calls: number;
  /** Tokens of the commands: what the agent writes. */
  readonly written: number;
  /** Tokens of the output: what the agent reads. */
  readonly read: number;
}

export class Shell {
  readonly calls: Call[] = [];

  constructor(
    readonly env: Readonly<Record<string, string>>,
    readonly folder: string,
  ) {}

  /** Runs a command and returns its output without the last newline. It must succeed. */
  async run(command: string): Promise<string> {
    const { output, code } = await this.#spawn(command);
    this.calls.push({ command, output });
    if (code !== 0) throw new Error(`${command}\nexited with ${String(code)}: ${output}`);
    return output;
  }

  counts(): Counts {
    const sum = (texts: readonly string[]): number => texts.reduce((tokens, text) => tokens + countTokens(text), 0);
    return {
      calls: this.calls.length,
      written: sum(this.calls.map(({ command }) => command)),
      read: sum(this.calls.map(({ output }) => output)),
    };
  }

  /** Commands and output, as a person would see them in a terminal. */
  transcript(): string {
    return this.calls.map(({ command, output }) => `$ ${command}\n${output}`).join("\n");
  }

  #spawn(command: string): Promise<{ output: string; code: number | null }> {
    return new Promise((resolve, reject) => {
      const child = spawn("sh", ["-c", command], {
        env: this.env,
        cwd: this.folder,
        stdio: ["ignore", "pipe", "pipe"],
        timeout: PATIENCE_MS,
      });
      const chunks: Buffer[] = [];
      // An agent's tool shows both streams as one text.
      child.stdout.on("data", (bytes: Buffer) => chunks.push(bytes));
      child.stderr.on("data", (bytes: Buffer) => chunks.push(bytes));
      child.on("error", reject);
      child.on("close", (code) => resolve({ output: Buffer.concat(chunks).toString().replace(/\n$/, ""), code }));
    });
  }
}
