/** The reason to abort an upload that will be continued. */
export const PAUSED = 'paused';
/** The reason to abort an upload that will not be continued: its bytes are deleted. */
export const CANCELLED = 'cancelled';
