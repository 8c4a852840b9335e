/** Scripts of the pages in host-protocol.test.ts. They run in the browser. */

declare global {
  interface Window {
    /** The messages that this window has received. */
    received: { cloche?: string; code?: string }[];
    /** What was received on the ports of the attacks of this window. */
    answers: { type?: string }[];
    /** Posts a SYN to a window, and behaves as if it had been accepted: calls every kind of method. */
    attack(target: Window, options?: { syn?: unknown; portCount?: number }): MessagePort;
    /** The number of messages that the window of a viewer has received. */
    windowMessageCount: number;
  }
}

/** The calls of an attack: they would change the view or read state. */
export const ATTACK_CALLS: readonly [method: string, ...args: unknown[]][] = [
  ['getCamera'],
  ['getParts'],
  ['toBlob'],
  ['hideParts', [0]],
  ['setCamera', { orbit: '120deg 20deg 400%' }, { durationMs: 0 }],
];

/** For every window of an attacker, and for the host pages: they show that the attack works where it may. */
export const ATTACKER_SCRIPT = `
window.received = [];
window.answers = [];
addEventListener('message', ({ data }) => received.push(data));
window.attack = (target, { syn = { cloche: 'syn', versions: [1] }, portCount = 1 } = {}) => {
  const channels = Array.from({ length: portCount }, () => new MessageChannel());
  target.postMessage(syn, '*', channels.map(({ port2 }) => port2));
  for (const { port1 } of channels) {
    port1.onmessage = ({ data }) => answers.push(data);
    port1.postMessage({ type: 'ack' });
    ${JSON.stringify(ATTACK_CALLS)}.forEach(([method, ...args], id) =>
      port1.postMessage({ type: 'call', id, method, args }));
  }
  return channels[0]?.port1;
};
`;

/** Runs in every document before its scripts. */
export function countWindowMessages(): void {
  window.windowMessageCount = 0;
  addEventListener('message', () => {
    window.windowMessageCount += 1;
  });
}
