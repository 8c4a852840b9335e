import { makeStep, type StepOptions } from '../formats/step.ts';

/** How a part refers to the one before: as an assembly, or with mapped items in its shape. */
export type StepNesting = 'assemblies' | 'mapped items';

/** Writes an entity and returns the reference to it. */
type WriteEntity = (text: string) => string;
/** A part: its product definition, and its shape. */
type StepPart = { definition: string; shape: string };

/** A cube in assemblies, each of which uses the one before `uses` times. */
export function nestStepParts(
  depth: number,
  nesting: StepNesting = 'assemblies',
  { uses = 2, ...options }: StepOptions & { uses?: number } = {},
): Buffer {
  const text = makeStep(options).toString();
  const find = (pattern: RegExp) => pattern.exec(text)?.[1] ?? '';
  const lines: string[] = [];
  const first = text.match(/^#\d+=/gm)?.length ?? 0;
  const write: WriteEntity = (line) => {
    const id = first + lines.length + 1;
    lines.push(`#${id}=${line};`);
    return `#${id}`;
  };
  const context = find(/ADVANCED_BREP_SHAPE_REPRESENTATION\('',\(.*\),(#\d+)\)/);
  const placement = find(/ADVANCED_BREP_SHAPE_REPRESENTATION\('',\((#\d+),/);
  const productContext = find(/(#\d+)=PRODUCT_CONTEXT\(/);
  const definitionContext = find(/PRODUCT_DEFINITION\('design','',#\d+,(#\d+)\)/);
  const writePart = (name: string, items: string): StepPart => {
    const shape = write(`SHAPE_REPRESENTATION('',(${items}),${context})`);
    const product = write(`PRODUCT('${name}','${name}','',(${productContext}))`);
    const formation = write(`PRODUCT_DEFINITION_FORMATION('','',${product})`);
    const definition = write(`PRODUCT_DEFINITION('design','',${formation},${definitionContext})`);
    const definitionShape = write(`PRODUCT_DEFINITION_SHAPE('','',${definition})`);
    write(`SHAPE_DEFINITION_REPRESENTATION(${definitionShape},${shape})`);
    return { definition, shape };
  };
  const usePart = (assembly: StepPart, part: StepPart): void => {
    const use = write(
      `NEXT_ASSEMBLY_USAGE_OCCURRENCE('','','',${assembly.definition},${part.definition},$)`,
    );
    const used = write(`PRODUCT_DEFINITION_SHAPE('','',${use})`);
    const move = write(`ITEM_DEFINED_TRANSFORMATION('','',${placement},${placement})`);
    const relation = write(
      `(REPRESENTATION_RELATIONSHIP('','',${part.shape},${assembly.shape})REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION(${move})SHAPE_REPRESENTATION_RELATIONSHIP())`,
    );
    write(`CONTEXT_DEPENDENT_SHAPE_REPRESENTATION(${relation},${used})`);
  };
  let part: StepPart = {
    definition: find(/(#\d+)=PRODUCT_DEFINITION\(/),
    shape: find(/(#\d+)=ADVANCED_BREP_SHAPE_REPRESENTATION/),
  };
  for (let level = 1; level <= depth; level++) {
    const map =
      nesting === 'mapped items' && write(`REPRESENTATION_MAP(${placement},${part.shape})`);
    const items = Array.from({ length: map ? uses : 0 }, () =>
      write(`MAPPED_ITEM('',${map},${placement})`),
    );
    const assembly = writePart(`Level ${level}`, [placement, ...items].join());
    for (let use = 0; use < uses && !map; use++) usePart(assembly, part);
    part = assembly;
  }
  return Buffer.from(text.replace('ENDSEC;\nEND-ISO', `${lines.join('\n')}\nENDSEC;\nEND-ISO`));
}
