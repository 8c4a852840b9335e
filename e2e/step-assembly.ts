import { makeStep, type StepOptions } from '@cloche/pipeline/testing/formats/step';

/** A STEP of a part that stands in its assembly twice, `apart` of the unit along x from itself. */
export function makeStepAssembly(part: StepOptions, name: string, apart: number): Buffer {
  const text = makeStep(part).toString();
  const find = (what: RegExp) => what.exec(text)?.slice(1) ?? [];
  const [shape, place, context] = find(
    /(#\d+)=ADVANCED_BREP_SHAPE_REPRESENTATION\('',\((#\d+),#\d+\),(#\d+)\)/,
  );
  const [definition, stage] = find(/(#\d+)=PRODUCT_DEFINITION\('design','',#\d+,(#\d+)\)/);
  const [productContext] = find(/(#\d+)=PRODUCT_CONTEXT\(/);
  const lines: string[] = [];
  const first = text.match(/^#\d+=/gm)?.length ?? 0;
  const write = (line: string) => `#${first + lines.push(`#${first + lines.length + 1}=${line};`)}`;

  const places = [0, apart].map((x) =>
    write(`AXIS2_PLACEMENT_3D('',${write(`CARTESIAN_POINT('',(${x}.,0.,0.))`)},$,$)`),
  );
  const whole = write(`SHAPE_REPRESENTATION('',(${places.join()}),${context})`);
  const product = write(`PRODUCT('${name}','${name}','',(${productContext}))`);
  const formation = write(`PRODUCT_DEFINITION_FORMATION('','',${product})`);
  const above = write(`PRODUCT_DEFINITION('design','',${formation},${stage})`);
  const defined = write(`PRODUCT_DEFINITION_SHAPE('','',${above})`);
  write(`SHAPE_DEFINITION_REPRESENTATION(${defined},${whole})`);
  for (const [at, moved] of places.entries()) {
    const use = write(`NEXT_ASSEMBLY_USAGE_OCCURRENCE('${at}','','',${above},${definition},$)`);
    const used = write(`PRODUCT_DEFINITION_SHAPE('','',${use})`);
    const move = write(`ITEM_DEFINED_TRANSFORMATION('','',${place},${moved})`);
    const relation = write(
      `(REPRESENTATION_RELATIONSHIP('','',${shape},${whole})REPRESENTATION_RELATIONSHIP_WITH_TRANSFORMATION(${move})SHAPE_REPRESENTATION_RELATIONSHIP())`,
    );
    write(`CONTEXT_DEPENDENT_SHAPE_REPRESENTATION(${relation},${used})`);
  }
  return Buffer.from(text.replace(/ENDSEC;\s+END-ISO/, `${lines.join('\n')}\nENDSEC;\nEND-ISO`));
}
