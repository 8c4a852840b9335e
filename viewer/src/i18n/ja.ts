export const ja: Readonly<Record<string, string>> = {};
