import { makeStep, type StepOptions } from '@cloche/pipeline/testing/formats/step';

/** Makes a STEP file of an assembly with two instances of a part, at a distance along x. */
export function makeStepAssembly(part: StepOptions, name: string, distance: number): Buffer {
  const text = makeStep(part).toString();
  const find = (pattern: RegExp) => pattern.exec(text)?.slice(1) ?? [];
  const [shape, placement, context] = find(
    /(#\d+)=ADVANCED_BREP_SHAPE_REPRESENTATION\('',\((#\d+),#\d+\),(#\d+)\)/,
  );
  const [definition, definitionContext] = find(
    /(#\d+)=PRODUCT_DEFINITION\('design','',#\d+,(#\d+)\)/,
  );
  const [productContext] = find(/(#\d+)=PRODUCT_CONTEXT\(/);
  const lines: string[] = [];
  const first = text.match(/^#\d+=/gm)?.length ?? 0;
  const write = (line: string) => `#${first + lines.push(`#${first + lines.length + 1}=${line};`)}`;

  const placements = [0, distance].map((x) =>
    write(`AXIS2_PLACEMENT_3D('',${write(`CARTESIAN_POINT('',(${x}.,0.,0.))`)},$,$)`),
  );
  const assemblyShape = write(`SHAPE_REPRESENTATION('',(${placements.join()}),${context})`);
  const product = write(`PRODUCT('${name}','${name}','',(${productContext}))`);
  const formation = write(`PRODUCT_DEFINITION_FORMATION('','',${product})`);
  const assembly = write(`PRODUCT_DEFINITION('design','',${formation},${definitionContext})`);
  const definitionShape = write(`PRODUCT_DEFINITION_SHAPE('','',${assembly})`);
  write(`SHAPE_DEFINITION_REPRESENTATION(${definitionShape},${assemblyShape})`);
  for (const [index, instancePlacement] of placements.entries()) {
    const use = write(
      `NEXT_ASSEMBLY_USAGE_OCCURRENCE('${index}','','',${assembly},${definition},$)`,
    );
    const used = write(`PRODUCT_DEFINITION_SHAPE('','',${use})`);
    const move = write(`ITEM_DEFINED_TRANSFORMATION('','',${placement},${instancePlacement})`);
    const relation = write(
      `(REPRESENTATION_RELATIONSHIP('','',${shape},${assemblyShape})REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION(${move})SHAPE_REPRESENTATION_RELATIONSHIP())`,
    );
    write(`CONTEXT_DEPENDENT_SHAPE_REPRESENTATION(${relation},${used})`);
  }
  return Buffer.from(text.replace(/ENDSEC;\s+END-ISO/, `${lines.join('\n')}\nENDSEC;\nEND-ISO`));
}
