export function removeFolder(folder: string): Promise<void>;
