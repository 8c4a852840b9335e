import { formatReal } from './step-real.ts';

export type IfcOptions = {
  /** The unit of all lengths in the file. */
  unit?: 'meter' | 'millimeter';
  /** Encoded as in ISO 10303-21, except that quotes need not be doubled. */
  name?: string;
  /** From 0 to 1. */
  transparency?: number;
};

/**
 * Creates an IFC4 with one red wall, 4 m long, 0.2 m thick and 3 m high, 1 m north of the origin, in
 * a storey of a building on a site.
 */
export function makeIfc(options: IfcOptions = {}): Buffer {
  const { unit = 'meter', name = 'Wall', transparency = 0 } = options;
  const length = (meters: number) => formatReal(unit === 'meter' ? meters : meters * 1000);
  const prefix = unit === 'meter' ? '$' : '.MILLI.';
  const label = name.replaceAll("'", "''");
  return Buffer.from(`ISO-10303-21;
HEADER;
FILE_DESCRIPTION(('ViewDefinition [CoordinationView]'),'2;1');
FILE_NAME('wall.ifc','2026-01-01T00:00:00',(''),(''),'','Cloche tests','');
FILE_SCHEMA(('IFC4'));
ENDSEC;
DATA;
#1=IFCPROJECT('0Pr0j3ctPr0j3ctPr0j3c1',$,'Project',$,$,$,$,(#20),#10);
#10=IFCUNITASSIGNMENT((#11,#12));
#11=IFCSIUNIT(*,.LENGTHUNIT.,${prefix},.METRE.);
#12=IFCSIUNIT(*,.PLANEANGLEUNIT.,$,.RADIAN.);
#20=IFCGEOMETRICREPRESENTATIONCONTEXT($,'Model',3,1.E-05,#21,$);
#21=IFCAXIS2PLACEMENT3D(#22,$,$);
#22=IFCCARTESIANPOINT((0.,0.,0.));
#30=IFCSITE('0S1teS1teS1teS1teS1te1',$,'Site',$,$,#31,$,$,.ELEMENT.,$,$,$,$,$);
#31=IFCLOCALPLACEMENT($,#21);
#32=IFCBUILDING('0Bu1ld1ngBu1ld1ngBu1l1',$,'Building',$,$,#33,$,$,.ELEMENT.,$,$,$);
#33=IFCLOCALPLACEMENT(#31,#21);
#34=IFCBUILDINGSTOREY('0St0reySt0reySt0reySt1',$,'Ground floor',$,$,#35,$,$,.ELEMENT.,0.);
#35=IFCLOCALPLACEMENT(#33,#21);
#40=IFCRELAGGREGATES('0Re1Re1Re1Re1Re1Re1Re1',$,$,$,#1,(#30));
#41=IFCRELAGGREGATES('0Re1Re1Re1Re1Re1Re1Re2',$,$,$,#30,(#32));
#42=IFCRELAGGREGATES('0Re1Re1Re1Re1Re1Re1Re3',$,$,$,#32,(#34));
#43=IFCRELCONTAINEDINSPATIALSTRUCTURE('0Re1Re1Re1Re1Re1Re1Re4',$,$,$,(#50),#34);
#50=IFCWALL('0Wa11Wa11Wa11Wa11Wa111',$,'${label}',$,$,#51,#54,$,.SOLIDWALL.);
#51=IFCLOCALPLACEMENT(#35,#52);
#52=IFCAXIS2PLACEMENT3D(#53,$,$);
#53=IFCCARTESIANPOINT((0.,${length(1)},0.));
#54=IFCPRODUCTDEFINITIONSHAPE($,$,(#55));
#55=IFCSHAPEREPRESENTATION(#20,'Body','SweptSolid',(#56));
#56=IFCEXTRUDEDAREASOLID(#57,#21,#60,${length(3)});
#57=IFCRECTANGLEPROFILEDEF(.AREA.,$,#58,${length(4)},${length(0.2)});
#58=IFCAXIS2PLACEMENT2D(#59,$);
#59=IFCCARTESIANPOINT((0.,0.));
#60=IFCDIRECTION((0.,0.,1.));
#70=IFCSTYLEDITEM(#56,(#71),$);
#71=IFCSURFACESTYLE('Paint',.BOTH.,(#72));
#72=IFCSURFACESTYLERENDERING(#73,${formatReal(transparency)},$,$,$,$,$,$,.NOTDEFINED.);
#73=IFCCOLOURRGB($,1.,0.,0.);
ENDSEC;
END-ISO-10303-21;
`);
}
