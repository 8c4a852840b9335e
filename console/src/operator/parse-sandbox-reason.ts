/** Separates the command at the end of the reason, which the service writes as `…; run: apt-get install bubblewrap`. */
export function parseSandboxReason(reason: string): {
  explanation: string;
  command: string | undefined;
} {
  const [, explanation, command] = /^(.*?); run: (.+)$/s.exec(reason) ?? [];
  return explanation === undefined
    ? { explanation: reason, command: undefined }
    : { explanation, command };
}
