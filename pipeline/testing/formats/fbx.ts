import { CUBE_FACES, cubeCorners } from './cube.ts';

export type FbxOptions = {
  /** Length of an edge, in the unit of the file. */
  size?: number;
  /** The unit of the file, in centimeters. */
  unitScaleFactor?: number;
  upAxis?: 'y' | 'z';
  /** sRGB, from 0 to 1. */
  color?: readonly [number, number, number];
  name?: string;
  /** The path of a texture image, as written in the file. */
  texture?: string;
  /** The texture image, embedded in the file. */
  embeddedTexture?: Buffer;
  /** Adds an animation: one turn around the up axis in two seconds. */
  spinning?: boolean;
};

const KTIME_PER_SECOND = 46186158000;

/** Creates an FBX 7.4 in ASCII: a cube below an empty node called `Group`. */
export function makeFbx(options: FbxOptions = {}): Buffer {
  const {
    size = 100,
    unitScaleFactor = 1,
    upAxis = 'y',
    color = [1, 0, 0],
    name = 'Cube',
  } = options;
  const [up, front] = upAxis === 'y' ? [1, 2] : [2, 1];
  const frontSign = upAxis === 'y' ? 1 : -1;
  const corners = cubeCorners(size).flat();
  const polygons = CUBE_FACES.flatMap((face) =>
    face.map((corner, index) => (index === 3 ? -corner - 1 : corner)),
  );
  return Buffer.from(`; FBX 7.4.0 project file
FBXHeaderExtension:  {
	FBXHeaderVersion: 1003
	FBXVersion: 7400
	Creator: "Cloche tests"
}
GlobalSettings:  {
	Version: 1000
	Properties70:  {
		P: "UpAxis", "int", "Integer", "",${up}
		P: "UpAxisSign", "int", "Integer", "",1
		P: "FrontAxis", "int", "Integer", "",${front}
		P: "FrontAxisSign", "int", "Integer", "",${frontSign}
		P: "CoordAxis", "int", "Integer", "",0
		P: "CoordAxisSign", "int", "Integer", "",1
		P: "UnitScaleFactor", "double", "Number", "",${unitScaleFactor}
	}
}
Definitions:  {
	Version: 100
	Count: 4
}
Objects:  {
	Geometry: 100, "Geometry::", "Mesh" {
		Vertices: *${corners.length} {
			a: ${corners.join()}
		}
		PolygonVertexIndex: *${polygons.length} {
			a: ${polygons.join()}
		}
		GeometryVersion: 124
		LayerElementUV: 0 {
			Version: 101
			Name: "map"
			MappingInformationType: "ByPolygonVertex"
			ReferenceInformationType: "Direct"
			UV: *48 {
				a: ${CUBE_FACES.flatMap(() => [0, 0, 1, 0, 1, 1, 0, 1]).join()}
			}
		}
		LayerElementMaterial: 0 {
			Version: 101
			Name: ""
			MappingInformationType: "AllSame"
			ReferenceInformationType: "IndexToDirect"
			Materials: *1 {
				a: 0
			}
		}
		Layer: 0 {
			Version: 100
			LayerElement:  {
				Type: "LayerElementMaterial"
				TypedIndex: 0
			}
			LayerElement:  {
				Type: "LayerElementUV"
				TypedIndex: 0
			}
		}
	}
	Model: 200, "Model::Group", "Null" {
		Version: 232
		Properties70:  {
			P: "Lcl Translation", "Lcl Translation", "", "A",${size},0,0
		}
	}
	Model: 201, "Model::${name}", "Mesh" {
		Version: 232
		Properties70:  {
			P: "Lcl Rotation", "Lcl Rotation", "", "A",0,0,0
		}
		Shading: T
		Culling: "CullingOff"
	}
	Material: 300, "Material::Paint", "" {
		Version: 102
		ShadingModel: "phong"
		MultiLayer: 0
		Properties70:  {
			P: "DiffuseColor", "Color", "", "A",${color.join()}
			P: "ShininessExponent", "Number", "", "A",20
		}
	}
${options.texture === undefined ? '' : textureObjectsText(options.texture, options.embeddedTexture)}${options.spinning ? spinObjectsText(upAxis) : ''}}
Connections:  {
	C: "OO",200,0
	C: "OO",201,200
	C: "OO",100,201
	C: "OO",300,201
${options.texture === undefined ? '' : '\tC: "OP",400,300, "DiffuseColor"\n\tC: "OO",401,400\n'}${options.spinning ? SPIN_CONNECTIONS : ''}}
`);
}

function textureObjectsText(path: string, embedded: Buffer | undefined): string {
  const content = embedded ? `\t\tContent: ,\n\t\t"${embedded.toString('base64')}"\n` : '';
  return `	Video: 401, "Video::picture", "Clip" {
		Type: "Clip"
		Properties70:  {
			P: "Path", "KString", "XRefUrl", "", "${path}"
		}
		UseMipMap: 0
		Filename: "${path}"
		RelativeFilename: "${path}"
${content}	}
	Texture: 400, "Texture::picture", "" {
		Type: "TextureVideoClip"
		Version: 202
		TextureName: "Texture::picture"
		Media: "Video::picture"
		FileName: "${path}"
		RelativeFilename: "${path}"
		ModelUVTranslation: 0,0
		ModelUVScaling: 1,1
		Texture_Alpha_Source: "None"
		Cropping: 0,0,0,0
	}
`;
}

function spinObjectsText(upAxis: 'y' | 'z'): string {
  const times = [0, 0.5, 1, 1.5, 2].map((time) => time * KTIME_PER_SECOND);
  const rotationAxis = upAxis === 'y' ? 1 : 2;
  const curves = [0, 1, 2].map((axis) => {
    const angles = axis === rotationAxis ? [0, 90, 180, 270, 360] : [0, 0, 0, 0, 0];
    return `	AnimationCurve: ${503 + axis}, "AnimCurve::", "" {
		Default: 0
		KeyVer: 4008
		KeyTime: *5 {
			a: ${times.join()}
		}
		KeyValueFloat: *5 {
			a: ${angles.join()}
		}
		KeyAttrFlags: *1 {
			a: 24836
		}
		KeyAttrDataFloat: *4 {
			a: 0,0,0,0
		}
		KeyAttrRefCount: *1 {
			a: 5
		}
	}
`;
  });
  return `	AnimationStack: 500, "AnimStack::Spin", "" {
		Properties70:  {
			P: "LocalStop", "KTime", "Time", "",${2 * KTIME_PER_SECOND}
			P: "ReferenceStop", "KTime", "Time", "",${2 * KTIME_PER_SECOND}
		}
	}
	AnimationLayer: 501, "AnimLayer::Base", "" {
	}
	AnimationCurveNode: 502, "AnimCurveNode::R", "" {
		Properties70:  {
			P: "d|X", "Number", "", "A",0
			P: "d|Y", "Number", "", "A",0
			P: "d|Z", "Number", "", "A",0
		}
	}
${curves.join('')}`;
}

const SPIN_CONNECTIONS = `	C: "OO",501,500
	C: "OO",502,501
	C: "OP",502,201, "Lcl Rotation"
	C: "OP",503,502, "d|X"
	C: "OP",504,502, "d|Y"
	C: "OP",505,502, "d|Z"
`;
