import { CONTACT_SHADOW_MEMBER, type ContactShadow } from '@cloche/contract/contact-shadow';
import {
  BackSide,
  CustomBlending,
  GLSL3,
  LinearFilter,
  Mesh,
  OneFactor,
  PlaneGeometry,
  RawShaderMaterial,
  Texture,
} from 'three';

/** The opacity of the darkest shadow. */
const OPACITY = 0.65;

/** The shadow of a model. */
type Shadow = {
  plane: Mesh;
  /** Resolves when the plane has its image. If that is damaged, nothing is seen of the plane. */
  decoded: Promise<void>;
};

/**
 * Creates the plane that shows the shadow of a model, from `asset.extras` of its file. It is part of the
 * model: it is drawn, replaced and freed together with it.
 *
 * Undefined if the file has no shadow. Files that were written before there were shadows have none.
 */
export function createContactShadow(extras: unknown): Shadow | undefined {
  try {
    const shadow = (extras as Record<string, ContactShadow>)[
      CONTACT_SHADOW_MEMBER
    ] as ContactShadow;
    const texture = new Texture();
    const plane = createPlane(shadow, texture);
    const decode = async () => {
      texture.image = await decodeImage(shadow.image);
      texture.needsUpdate = true;
    };
    // Without an image, the texture is transparent.
    return { plane, decoded: decode().catch(() => undefined) };
  } catch {
    return undefined;
  }
}

/** Sets the strength of a shadow, from 0 to 2. */
export function setShadowIntensity(plane: Mesh, intensity: number): void {
  (plane.material as ContactShadowMaterial).intensity = intensity;
  plane.visible = intensity > 0;
}

/** Creates a transparent plane with the shader of all shadows. */
export function createSampleShadow(): Mesh {
  const texture = new Texture(new ImageData(1, 1));
  texture.needsUpdate = true;
  return createPlane({ rectangle: [-1, -1, 1, 1], y: 0 }, texture);
}

async function decodeImage(base64: string): Promise<ImageBitmap> {
  const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
  return createImageBitmap(new Blob([bytes]), { colorSpaceConversion: 'none' });
}

function createPlane({ rectangle, y }: Omit<ContactShadow, 'image'>, texture: Texture): Mesh {
  const [minX, minZ, maxX, maxZ] = rectangle;
  texture.flipY = texture.generateMipmaps = false;
  texture.minFilter = LinearFilter;
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
      uniforms: { shadow: { value: texture }, intensity: { value: 1 } },
      vertexShader: VERTEX_SHADER,
      fragmentShader: FRAGMENT_SHADER,
      // Blended as if it were transparent, but drawn before the model, with `renderOrder`. Drawn after a model with more vertex
      // attributes, SwiftShader would compile its shader once more.
      blending: CustomBlending,
      blendSrcAlpha: OneFactor,
      depthWrite: false,
      // Seen from above, because the plane is rotated so that the first row of the image is at minZ.
      side: BackSide,
    });
    this.texture = texture;
  }

  set intensity(factor: number) {
    this.uniforms.intensity = { value: factor };
  }
}

const VERTEX_SHADER = `
uniform mat4 modelViewMatrix, projectionMatrix;
in vec3 position;
in vec2 uv;
out vec2 shadowUv;
void main() {
  shadowUv = uv;
  gl_Position = projectionMatrix * (modelViewMatrix * vec4(position, 1.0));
}`;

const FRAGMENT_SHADER = `
precision highp float;
uniform sampler2D shadow;
uniform float intensity;
in vec2 shadowUv;
out vec4 color;
void main() {
  color = vec4(0.0, 0.0, 0.0, ${OPACITY} * intensity * texture(shadow, shadowUv).r);
}`;
