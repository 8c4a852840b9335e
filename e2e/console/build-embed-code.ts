import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { compile } from 'svelte/compiler';
import { compileScript, parse } from 'vue/compiler-sfc';

const ROOT = join(import.meta.dirname, '../..');
const CODE = 'embed-code';

/** How each framework compiles the code of the embed builder, and starts it. */
const FRAMEWORKS = {
  React: {
    compile: (code: string) => ({ contents: code, loader: 'jsx' as const }),
    start: `import { createElement } from 'react';
      import { createRoot } from 'react-dom/client';
      import { DesignView } from '${CODE}';
      createRoot(document.querySelector('#app')).render(createElement(DesignView));`,
  },
  Vue: {
    compile: (code: string) => ({ contents: compileVue(code), loader: 'js' as const }),
    start: `import { createApp } from 'vue';
      import DesignView from '${CODE}';
      createApp(DesignView).mount('#app');`,
  },
  Svelte: {
    compile: (code: string) => ({
      contents: compile(code, { filename: 'DesignView.svelte', generate: 'client' }).js.code,
      loader: 'js' as const,
    }),
    start: `import { mount } from 'svelte';
      import DesignView from '${CODE}';
      mount(DesignView, { target: document.querySelector('#app') });`,
  },
};

export type EmbedFramework = keyof typeof FRAMEWORKS;

/** Builds a page that shows the code of the embed builder for a framework, compiled as its build tools do it. */
export async function buildEmbedPage(framework: EmbedFramework, code: string): Promise<string> {
  const { compile, start } = FRAMEWORKS[framework];
  const provideCode: Plugin = {
    name: CODE,
    setup({ onLoad, onResolve }) {
      onResolve({ filter: new RegExp(`^${CODE}$`) }, ({ path }) => ({ path, namespace: CODE }));
      onLoad({ filter: /./, namespace: CODE }, () => ({ ...compile(code), resolveDir: ROOT }));
    },
  };
  const { outputFiles } = await build({
    stdin: { contents: start, resolveDir: ROOT },
    plugins: [provideCode],
    bundle: true,
    write: false,
    format: 'esm',
    jsx: 'automatic',
    conditions: ['cloche:source', 'browser', 'svelte'],
    // With the warnings of the frameworks.
    define: {
      'process.env.NODE_ENV': '"development"',
      __VUE_OPTIONS_API__: 'true',
      __VUE_PROD_DEVTOOLS__: 'false',
      __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
    },
  });
  const script = outputFiles[0]?.text.replaceAll('</script', '<\\/script');
  return `<div id="app"></div><script type="module">${script}</script>`;
}

/** As the guide says, the element is not a component of Vue. */
function compileVue(code: string): string {
  const isCustomElement = (tag: string) => tag === 'cloche-viewer';
  const { descriptor, errors } = parse(code, { templateParseOptions: { isCustomElement } });
  if (errors.length > 0) throw new AggregateError(errors, 'The code for Vue is not valid.');
  return compileScript(descriptor, { id: CODE, inlineTemplate: true }).content;
}
