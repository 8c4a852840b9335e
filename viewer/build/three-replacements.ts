import { applyEdits, type SourceEdit } from './apply-edits.ts';

/**
 * Modules of three.js whose features the viewer does not use, but which `WebGLRenderer` imports, and what the build
 * puts in their place. Each replacement has the members that `WebGLRenderer` and its parts use.
 *
 * Measured with three 0.187, kB brotli of all scripts before the first frame: 157.9 with all of three.js, 139.0 with these
 * replacements, without methods that write JSON, and without unused shaders.
 */
export const REPLACED_MODULES: Readonly<Record<string, string>> = {
  // Virtual and augmented reality in the page. AR opens the model in another program.
  'renderers/webxr/WebXRManager.js': `
    export class WebXRManager {
      enabled = false;
      isPresenting = false;
      addEventListener() {}
      removeEventListener() {}
      setAnimationLoop() {}
      getEnvironmentBlendMode() {}
      dispose() {}
    }`,
  // Shadows of lights. The contact shadow is a texture.
  'renderers/webgl/WebGLShadowMap.js': `
    export class WebGLShadowMap {
      enabled = false;
      autoUpdate = false;
      needsUpdate = false;
      type = 0;
      render() {}
    }`,
  // Prefilters environment maps. Ours is prefiltered by the build.
  'renderers/webgl/WebGLEnvironments.js': `
    export class WebGLEnvironments {
      get(texture) {
        return texture ?? null;
      }
      dispose() {}
    }`,
  // Effects on the whole picture. Never created without the option `outputBufferType`.
  'renderers/webgl/WebGLOutput.js': 'export class WebGLOutput {}',
  // Uniform buffers, which only own shaders can have.
  'renderers/webgl/WebGLUniformsGroups.js': `
    export class WebGLUniformsGroups {
      dispose() {}
    }`,
};

const SOURCE_EDITS: Readonly<Record<string, readonly SourceEdit[]>> = {
  // Materials that differ only in their sides or in their transparency have the same shader: the sides differ only in what is drawn, and the
  // least alpha is a uniform. Compiling a shader takes longer than drawing a model, and many models have several kinds.
  'renderers/webgl/WebGLPrograms.js': [
    [/doubleSided: material\.side === DoubleSide,/, 'doubleSided: material.side !== BackSide,'],
    [/opaque: material\.transparent === false && .*,/, 'opaque: false,'],
    // Textures that share coordinates or texels: src/renderer/shared-textures.ts.
    [
      /defines: material\.defines,/,
      'defines: capabilities.listDefines?.( material ) ?? material.defines,',
    ],
    // Shaders decode the colors of videos; here, those of textures with this format: src/loader/decode-colors-in-shader.ts.
    [/\.isVideoTexture === true/g, ".internalFormat === 'RGBA8'"],
  ],
  'renderers/webgl/WebGLMaterials.js': [
    [
      /uniforms\.opacity\.value = material\.opacity;/g,
      '$& uniforms.minAlpha.value = material.transparent ? 0 : 1;',
    ],
  ],
  // Without a GPU, the viewer uploads images and creates their mipmaps: src/renderer/software-rendering.ts.
  'renderers/webgl/WebGLTextures.js': [
    [
      /if \( dataReady \) (\{\s*state\.texSubImage2D\( _gl\.TEXTURE_2D, 0, 0, 0, glFormat, glType, image \);)/,
      'if ( dataReady && ! capabilities.uploadRows?.( state, image, glFormat, glType ) ) $1',
    ],
    [
      /generateMipmap\( textureType \);/,
      `const created = capabilities.createMipmaps?.( image );
      if ( created === undefined ) generateMipmap( textureType );
      else {
        // They apply to canvases, and not to the image, which is a bitmap: it may have left them as they were.
        state.pixelStorei( _gl.UNPACK_FLIP_Y_WEBGL, false );
        state.pixelStorei( _gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, false );
        for ( const [ index, level ] of created.entries() ) {
          state.texSubImage2D( textureType, index + 1, 0, 0, glFormat, glType, level );
          level.width = 0;
        }
      }`,
    ],
  ],
  // The viewer draws in the color space of the screen: this would multiply each color by a matrix that changes nothing.
  'renderers/webgl/WebGLProgram.js': [
    [/vec4\( \$\{components\[ 0 \]\} \* value\.rgb, value\.a \)/, 'value'],
  ],
  'renderers/shaders/UniformsLib.js': [
    [/alphaTest: \{ value: 0 \}/g, '$&, minAlpha: { value: 1 }'],
  ],
};

/** Methods that write a scene to JSON, or read it. Nothing calls them. */
const JSON_METHOD = /^\t(?:static )?(?:to|from)JSON\([^)]*\) \{\n[\s\S]*?^\t\}\n/gm;

/**
 * Returns the source of a module as the build uses it. `name`: its path in the folder `src` of three.js.
 *
 * @throws {Error} if three.js has changed, and this file must be, too
 */
export function replaceModule(name: string, source: string): string {
  const replacement = REPLACED_MODULES[name] ?? source.replace(JSON_METHOD, '');
  return applyEdits(name, replacement, SOURCE_EDITS[name]);
}
