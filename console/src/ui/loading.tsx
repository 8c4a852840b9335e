import { texts } from '../i18n/en.ts';

/** Shown while a page or a part of it waits for the service. It appears after a moment, so that fast answers do not flicker. */
export function Loading() {
  return (
    <p className="loading" role="status">
      {texts.common.loading}
    </p>
  );
}
