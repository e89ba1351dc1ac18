export function writeIfOther(path: string, content: string | Uint8Array): void;
export function replaceFolder(built: string, folder: string): void;
