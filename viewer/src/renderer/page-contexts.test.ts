import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chooseContext, mayExceedContexts, type PageMember } from './page-contexts.ts';
import type { SharedContext } from './shared-context.ts';

const SHARED = {} as SharedContext;
const EMBED_COUNT = 40;

function createMember(more: Partial<PageMember> = {}): PageMember {
  const release = () => false;
  return {
    ...{ held: undefined, inView: true, lastInView: 0, release, sharedContext: undefined },
    ...more,
  };
}

/** A page with the framed documents of members. `isReadable` says which windows the documents can read. */
function createPage(members: readonly PageMember[], isReadable: (index: number) => boolean) {
  const frames = members.map((member, index) => ({
    length: 0,
    get clochePageMember1() {
      if (!isReadable(index)) throw new DOMException('Blocked a frame', 'SecurityError');
      return member;
    },
  }));
  const top = {
    ...frames,
    length: frames.length,
    get clochePageMember1(): PageMember {
      throw new DOMException('Blocked a frame', 'SecurityError');
    },
  };
  return { top } as unknown as Window;
}

describe('the context of a framed document', () => {
  const own = createMember();
  const holders = Array.from({ length: EMBED_COUNT - 2 }, () => createMember({ held: 'own' }));
  const host = createMember({ held: 'shared', sharedContext: SHARED });
  const members = [own, ...holders, host];

  it('is the shared one, if the others hold as many as there may be', () => {
    assert.equal(
      chooseContext(
        own,
        createPage(members, () => true),
      ),
      SHARED,
    );
  });

  it('is its own, if it can read no other window: then documents only start when they are in view', () => {
    assert.equal(
      chooseContext(
        own,
        createPage(members, (index) => index === 0),
      ),
      'own',
    );
  });

  it('is the shared one that it has created itself, if others draw with it', () => {
    const creator = createMember({ sharedContext: SHARED });
    const page = createPage([creator, ...holders], () => true);
    assert.equal(chooseContext(creator, page), SHARED);
  });

  it('counts those that it can read, after a window that it cannot read', () => {
    const isReadable = (count: number) => (index: number) => index === 0 || index > 39 - count;
    // The last one is the host of the shared context.
    assert.equal(chooseContext(own, createPage(members, isReadable(7))), 'own');
    assert.equal(chooseContext(own, createPage(members, isReadable(8))), SHARED);
  });

  it('may be lost, if as many frames as there may be contexts cannot be read', () => {
    const isReadable = (count: number) => (index: number) => index >= count;
    assert.equal(mayExceedContexts(createPage(members, isReadable(0))), false);
    assert.equal(mayExceedContexts(createPage(members, isReadable(7))), false);
    assert.equal(mayExceedContexts(createPage(members, isReadable(8))), true);
  });
});
