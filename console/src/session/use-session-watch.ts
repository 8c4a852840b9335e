import { useEffect } from 'react';
import type { ApiClient } from '../api/api-client.ts';
import { texts } from '../i18n/en.ts';

const CHANNEL = 'cloche-session';
const CHECK_MS = 15_000;

/** Makes the other tabs check whether their session has ended. */
export function announceSessionChange(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage('changed');
  channel.close();
}

/**
 * Checks the session after a change in another tab, when the tab is shown again, and while it is shown, so that a session that was
 * ended elsewhere also ends here without a request of a person.
 */
export function useSessionWatch(client: ApiClient | undefined): void {
  useEffect(() => {
    if (client === undefined) return;
    const check = () => {
      void client.checkSession(texts.sessions);
    };
    const checkIfShown = () => document.visibilityState === 'visible' && check();
    const channel = new BroadcastChannel(CHANNEL);
    channel.addEventListener('message', check);
    document.addEventListener('visibilitychange', checkIfShown);
    const timer = setInterval(checkIfShown, CHECK_MS);
    return () => {
      channel.close();
      document.removeEventListener('visibilitychange', checkIfShown);
      clearInterval(timer);
    };
  }, [client]);
}
