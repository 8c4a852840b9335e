import { CONTACT_SHADOW_MEMBER, type ContactShadow } from '@cloche/contract/contact-shadow';
import {
  BackSide,
  GLSL3,
  LinearFilter,
  Mesh,
  PlaneGeometry,
  RawShaderMaterial,
  Texture,
} from 'three';

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

/** Creates a transparent plane with the shader of all shadows. */
export function createSampleShadow(): Mesh {
  return createPlane({ rectangle: [-1, -1, 1, 1], y: 0 }, new ImageData(1, 1));
}

function decodeImage(base64: string): Promise<ImageBitmap> {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  return createImageBitmap(new Blob([bytes]), { colorSpaceConversion: 'none' });
}

function createPlane(
  { rectangle, y }: Omit<ContactShadow, 'image'>,
  image: ImageBitmap | ImageData,
): Mesh {
  const [minX, minZ, maxX, maxZ] = rectangle;
  const texture = new Texture(image);
  texture.flipY = texture.generateMipmaps = false;
  texture.minFilter = LinearFilter;
  texture.needsUpdate = true;
  const geometry = new PlaneGeometry(maxX - minX, maxZ - minZ);
  const plane = new Mesh(geometry, new ContactShadowMaterial(texture));
  plane.position.set((minX + maxX) / 2, y, (minZ + maxZ) / 2);
  plane.rotation.x = Math.PI / 2;
  plane.renderOrder = -1;
  // Not a part of the model that a visitor can focus on.
  plane.raycast = () => {};
  return plane;
}

/**
 * Black, with an opacity from a texture. A shader of its own, because without a GPU, that of MeshBasicMaterial takes 20 ms longer until
 * the first frame: it has 29 kB of text, and this one has half a kilobyte.
 */
class ContactShadowMaterial extends RawShaderMaterial {
  /** Uploaded and freed like the textures of other materials, because it is a property. */
  readonly texture: Texture;

  constructor(texture: Texture) {
    super({
      glslVersion: GLSL3,
      uniforms: { shadow: { value: texture } },
      vertexShader: VERTEX_SHADER,
      fragmentShader: FRAGMENT_SHADER,
      transparent: true,
      depthWrite: false,
      // Seen from above, because the plane is rotated so that the first row of the image is at minZ.
      side: BackSide,
    });
    this.texture = texture;
  }
}

const VERTEX_SHADER = `
uniform mat4 modelViewMatrix, projectionMatrix;
in vec3 position;
in vec2 uv;
out vec2 shadowUv;
void main() {
  shadowUv = uv;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const FRAGMENT_SHADER = `
precision highp float;
uniform sampler2D shadow;
in vec2 shadowUv;
out vec4 color;
void main() {
  color = vec4(0.0, 0.0, 0.0, ${OPACITY} * texture(shadow, shadowUv).r);
}`;
