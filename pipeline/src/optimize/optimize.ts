import { CONTACT_SHADOW_MEMBER } from '@cloche/contract/contact-shadow';
import type { ProcessingWarning } from '@cloche/contract/design';
import { FRAMING_POINTS_MEMBER } from '@cloche/contract/framing-points';
import type { ModelCounts } from '@cloche/contract/model-stats';
import type { BoundingBox } from '@cloche/contract/viewer-config';
import { type Document, Logger, type Texture } from '@gltf-transform/core';
import type { ProgressListener, StepName } from '../processing-steps.ts';
import { assertVisible } from './assert-visible.ts';
import { setAssetExtra } from './asset-extras.ts';
import { clean } from './clean.ts';
import { computeFramingPoints } from './framing/framing-points.ts';
import { createLevels, type SplitModel } from './levels/create-levels.ts';
import { hasManyTriangles } from './levels/simplify-to-level.ts';
import { getSizeRatio, listImageSizes, listTexturesForPacks } from './levels/texture-levels.ts';
import { measureUvDensity } from './levels/uv-density.ts';
import { computeModelCounts } from './model-counts.ts';
import { estimateGeometryBytes, generatePreview } from './preview/generate-preview.ts';
import { createStaticCopy } from './preview/static-copy.ts';
import { quantize } from './quantize/quantize.ts';
import { reduceDrawCalls } from './reduce-draw-calls.ts';
import { resampleAnimations } from './resample-animations.ts';
import { computeSceneBounds } from './scene-bounds.ts';
import { bakeShadow } from './shadow/bake-shadow.ts';
import { showInvisibleMaterials } from './show-invisible-materials.ts';
import { simplifyMeshes } from './simplify-meshes.ts';
import { compressTextures } from './textures/compress-textures.ts';
import { createReductionWarnings, listLargeTextures } from './textures/list-large-textures.ts';
import { unshareAccessors } from './unshare-accessors.ts';
import { writeGlb } from './write/write-glb.ts';

/** A model up to this size gets no preview: it loads in 0.75 s at 1.6 Mbit/s, a preview in 0.5 s. */
const SMALL_MODEL_BYTES = 150_000;
/** With more bytes of images, the model is hardly ever small: few textures shrink to less than a fortieth. */
const LARGE_IMAGE_BYTES = 5_000_000;
/** The notes in quantize/positions.ts compare other values. */
const POSITION_BITS = { scene: 14, mesh: 11 };

/** The default of CLOCHE_MAX_TRIANGLES; docs/decisions/0028-triangle-budget.md has the reasons. */
const DEFAULT_MAX_TRIANGLES = 1_000_000;

/** Options that the operator or the owner sets. */
export type OptimizeOptions = {
  /** Longest side of a texture in pixels; default 2048. */
  maxTextureSize?: number;
  /** Triangles of the model, those of instances included; default 1,000,000. */
  maxTriangles?: number;
};

/** The optimized model, its preview, and the data for the report. */
export type OptimizeResult = {
  model: Uint8Array;
  /** At most 100 kB; undefined if the model itself is small. */
  preview?: Uint8Array;
  /** Undefined if the model itself or its textures are small. */
  levels?: SplitModel & { uvPerMeter?: number };
  /** Counts before the optimization. */
  before: Omit<ModelCounts, 'bytes'>;
  /** The exact bounding box of the scene; undefined if it is empty. */
  bounds?: BoundingBox;
  warnings: ProcessingWarning[];
};

/**
 * Makes a model smaller and faster to render without a visible change. Modifies the document.
 *
 * @param onPreview called with the preview of a model that is probably not small, before the textures are compressed:
 *   visitors see it meanwhile
 * @throws {Problem} design.unreadable: nothing of it is visible, or an image is damaged
 */
export async function optimize(
  document: Document,
  { maxTextureSize = 2048, maxTriangles = DEFAULT_MAX_TRIANGLES }: OptimizeOptions,
  onProgress: ProgressListener,
  onPreview: (preview: Uint8Array) => void = () => undefined,
): Promise<OptimizeResult> {
  document.setLogger(new Logger(Logger.Verbosity.SILENT));
  const before = computeModelCounts(document);
  const warnings: ProcessingWarning[] = [];
  /** `percent` is the progress of the job at the start of the step. */
  const runStep = <T>(name: StepName, percent: number, step: () => Promise<T>): Promise<T> => {
    onProgress(name, percent);
    return step();
  };

  await runStep('clean', 10, async () => {
    warnings.push(...(await showInvisibleMaterials(document)));
    warnings.push(...(await clean(document)));
  });
  const framingPoints = await runStep('geometry', 20, async () => {
    await resampleAnimations(document);
    unshareAccessors(document);
    warnings.push(...(await reduceDrawCalls(document)));
    warnings.push(...(await simplifyMeshes(document, maxTriangles)));
    assertVisible(document);
    return computeFramingPoints(document);
  });
  const staticCopy = await runStep('preview', 26, () => createStaticCopy(document));
  await runStep('shadow', 27, async () => {
    const shadow = await bakeShadow(staticCopy);
    for (const each of [document, staticCopy]) {
      setAssetExtra(each, CONTACT_SHADOW_MEMBER, shadow);
      setAssetExtra(each, FRAMING_POINTS_MEMBER, framingPoints);
    }
  });
  const isLarge = isProbablyLarge(document);
  const earlyPreview = isLarge
    ? await runStep('preview', 28, () => generatePreview(staticCopy))
    : undefined;
  if (earlyPreview) onPreview(earlyPreview);
  const largeTextures = listLargeTextures(document, maxTextureSize);
  const packedTextures = listTexturesForPacks(document);
  const uvDensity = measureUvDensity(document, packedTextures);
  const textureOptions = {
    maxSize: maxTextureSize,
    listLevelSizes: (texture: Texture) =>
      packedTextures.has(texture) ? listImageSizes(getSizeRatio(texture, uvDensity)) : [],
  };
  const images = await runStep('textures', 30, () =>
    compressTextures(document, textureOptions, (fraction) =>
      onProgress('textures', 30 + 45 * fraction),
    ),
  );
  warnings.push(...createReductionWarnings(largeTextures, maxTextureSize));
  const bounds = computeSceneBounds(document);
  const model = await runStep('write', 90, async () => {
    await quantize(document, POSITION_BITS);
    return writeGlb(document);
  });
  const result = { model, before, ...(bounds && { bounds }), warnings };
  const isSmall = model.length <= SMALL_MODEL_BYTES;
  // Many instances need few bytes, but take long to draw.
  if (isSmall && !hasManyTriangles(document)) return result;
  let preview: Uint8Array | undefined;
  if (!isSmall && isLarge) preview = earlyPreview;
  else if (!isSmall) preview = await runStep('preview', 92, () => generatePreview(staticCopy));
  const levels = await runStep('write', 98, () => createLevels(model, document, images, uvDensity));
  return {
    ...result,
    ...(preview && { preview }),
    ...(levels && {
      levels: { ...levels, ...(uvDensity && { uvPerMeter: uvDensity.uvPerMeter }) },
    }),
  };
}

function isProbablyLarge(document: Document): boolean {
  const imageBytes = document
    .getRoot()
    .listTextures()
    .reduce((sum, texture) => sum + (texture.getImage()?.length ?? 0), 0);
  return imageBytes > LARGE_IMAGE_BYTES || estimateGeometryBytes(document) > SMALL_MODEL_BYTES;
}
