export const nl: Readonly<Record<string, string>> = {};
