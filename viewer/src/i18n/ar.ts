export const ar: Readonly<Record<string, string>> = {};
