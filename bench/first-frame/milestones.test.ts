import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { EmptyPictureError, findMilestones } from './milestones.ts';

const BACKGROUND = '#e6e6e6';

/** A striped square on a background, as a model in a frame. */
async function drawModel({ blur = 0, opacity = 1, shift = 0, mark = false } = {}): Promise<Buffer> {
  const stripes = Array.from(
    { length: 20 },
    (_, row) =>
      `<rect x="${200 + shift}" y="${100 + row * 20}" width="400" height="10" fill="#a33"/>`,
  ).join('');
  const dot = mark ? '<rect x="380" y="280" width="40" height="40" fill="#00f"/>' : '';
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="800" height="600"><rect width="800" height="600" fill="${BACKGROUND}"/><g opacity="${opacity}"><rect x="${200 + shift}" y="100" width="400" height="400" fill="#222"/>${stripes}${dot}</g></svg>`;
  const image = sharp(Buffer.from(svg));
  return (blur === 0 ? image : image.blur(blur)).jpeg({ quality: 90 }).toBuffer();
}

const model = await drawModel();
const empty = await drawModel({ opacity: 0 });

describe('the milestones of a load', () => {
  it('do not count a blurred poster as useful, nor an empty frame', async () => {
    const frames = [
      { at: 1, image: empty },
      { at: 2, image: await drawModel({ blur: 40 }) },
      { at: 3, image: model },
    ];
    const { useful, full } = await findMilestones(frames);
    assert.equal(useful, 3);
    assert.equal(full, 3);
  });

  it('count a sharp picture as useful that is not yet final', async () => {
    const frames = [
      { at: 1, image: empty },
      { at: 2, image: await drawModel({ opacity: 0.9 }) },
      { at: 3, image: model },
    ];
    assert.deepEqual(await findMilestones(frames), { useful: 2, recognizable: 2, full: 3 });
  });

  it('recognize a blurred preview by its colors', async () => {
    const frames = [
      { at: 1, image: empty },
      { at: 2, image: await drawModel({ blur: 6 }) },
      { at: 3, image: model },
    ];
    assert.deepEqual(await findMilestones(frames), { useful: 3, recognizable: 2, full: 3 });
  });

  it('see a late change of a small part', async () => {
    const frames = [
      { at: 1, image: model },
      { at: 2, image: await drawModel({ mark: true }) },
    ];
    assert.deepEqual(await findMilestones(frames), { useful: 1, recognizable: 1, full: 2 });
  });

  it('are full after the last disturbance', async () => {
    const frames = [
      { at: 1, image: model },
      { at: 2, image: await drawModel({ shift: 30 }) },
      { at: 3, image: model },
    ];
    assert.equal((await findMilestones(frames)).full, 3);
  });

  it('tolerate differences that nobody sees', async () => {
    const { full } = await findMilestones([
      { at: 1, image: await drawModel({ opacity: 0.99 }) },
      { at: 2, image: model },
    ]);
    assert.equal(full, 1);
  });

  it('are an error if the browser displayed no model', async () => {
    await assert.rejects(findMilestones([{ at: 1, image: empty }]), EmptyPictureError);
  });
});
