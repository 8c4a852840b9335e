export const pl: Readonly<Record<string, string>> = {};
