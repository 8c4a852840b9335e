import { SharedContext } from './shared-context.ts';

/**
 * The number of WebGL contexts that all framed documents of a page hold together. Chromium allows a process 16,
 * on Android 8; beyond that, it loses the oldest. One of them is shared by the documents that have none of their
 * own, so that every document in view can draw.
 */
const MAX_CONTEXTS = 8;

/** What each framed document publishes to the others, as a property of its window. */
export type PageMember = {
  /** The context that the document draws with. */
  held: 'own' | 'shared' | undefined;
  inView: boolean;
  /** The time at which the document was last in view, milliseconds since 1970. */
  lastInView: number;
  /** Releases the context, if the document is not in view and not loading. Returns whether it has. */
  release: () => boolean;
  /** The shared context, in the one document that has created it. */
  sharedContext: SharedContext | undefined;
};

declare global {
  /** Documents of an older or newer service may be on the same page: a change of `PageMember` needs a new name. */
  var clochePageMember1: PageMember | undefined;
}

/**
 * Decides which context a framed document may draw with: one of its own while there are few, then that of a
 * document that is out of view, then the shared one.
 *
 * All framed documents of a page have the same origin, so they can read each other's windows, at once and
 * without messages. If a browser does not allow that, a document finds only itself: see `mayExceedContexts`.
 */
export function chooseContext(member: PageMember, page: Window = window): 'own' | SharedContext {
  const others = readFrames(page).members.filter((other) => other !== member);
  const holders = others.filter(({ held }) => held === 'own');
  const outOfView = holders
    .filter(({ inView }) => !inView)
    .sort((a, b) => a.lastInView - b.lastInView);
  if (holders.length < MAX_CONTEXTS - 1 || outOfView.some((other) => other.release())) return 'own';
  // The member itself may have created it, and others have drawn with it since it was out of view.
  const host = [member, ...others].find(({ sharedContext }) => sharedContext !== undefined);
  if (host?.sharedContext !== undefined) return host.sharedContext;
  member.sharedContext = SharedContext.create(() => {
    member.sharedContext = undefined;
  });
  return member.sharedContext;
}

/**
 * Whether the browser may lose contexts: so many frames cannot be read that, if they are framed documents, they hold
 * as many as there may be. None of them can be asked for its context. Frames of others, such as advertisements, are
 * counted too.
 */
export function mayExceedContexts(page: Window = window): boolean {
  return readFrames(page).unreadable >= MAX_CONTEXTS;
}

/** Returns what all framed documents of the page have published, in the order of the page, and counts other frames. */
function readFrames(page: Window): { members: PageMember[]; unreadable: number } {
  const members: PageMember[] = [];
  let unreadable = 0;
  const visit = (frame: Window, isAncestor: boolean) => {
    try {
      const { clochePageMember1: member } = frame as typeof globalThis & Window;
      if (member !== undefined) members.push(member);
    } catch {
      // A document of another origin.
      if (!isAncestor) unreadable++;
    }
    for (let index = 0; index < frame.length; index++) visit(frame[index] as Window, false);
  };
  visit(page.top ?? page, true);
  return { members, unreadable };
}
