import { CONTACT_SHADOW_MEMBER, type ContactShadow } from '@cloche/contract/contact-shadow';
import { BackSide, LinearFilter, Mesh, MeshBasicMaterial, PlaneGeometry, Texture } from 'three';

/** The opacity of the darkest shadow. */
const OPACITY = 0.65;

/**
 * Creates the plane that shows the shadow of a model, from `asset.extras` of its file. It is part of the
 * model: it is drawn, replaced and freed together with it.
 *
 * Undefined if the file has no shadow that can be decoded. Files that were written before there were
 * shadows have none.
 */
export async function createContactShadow(extras: unknown): Promise<Mesh | undefined> {
  try {
    const shadow = (extras as Record<string, ContactShadow>)[
      CONTACT_SHADOW_MEMBER
    ] as ContactShadow;
    return createPlane(shadow, await decodeImage(shadow.image));
  } catch {
    return undefined;
  }
}

function decodeImage(base64: string): Promise<ImageBitmap> {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  return createImageBitmap(new Blob([bytes]), { colorSpaceConversion: 'none' });
}

function createPlane({ rectangle, y }: ContactShadow, image: ImageBitmap): Mesh {
  const [minX, minZ, maxX, maxZ] = rectangle;
  const alphaMap = new Texture(image);
  alphaMap.flipY = alphaMap.generateMipmaps = false;
  alphaMap.minFilter = LinearFilter;
  alphaMap.needsUpdate = true;
  const material = new MeshBasicMaterial({
    color: 0,
    alphaMap,
    opacity: OPACITY,
    transparent: true,
    depthWrite: false,
    toneMapped: false,
    // Seen from above, because the plane is rotated so that the first row of the image is at minZ.
    side: BackSide,
  });
  const plane = new Mesh(new PlaneGeometry(maxX - minX, maxZ - minZ), material);
  plane.position.set((minX + maxX) / 2, y, (minZ + maxZ) / 2);
  plane.rotation.x = Math.PI / 2;
  plane.renderOrder = -1;
  // Not a part of the model that a visitor can focus on.
  plane.raycast = () => {};
  return plane;
}
