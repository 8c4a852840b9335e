export const ko: Readonly<Record<string, string>> = {};
