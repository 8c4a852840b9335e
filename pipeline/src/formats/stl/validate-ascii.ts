import { assertWithinLimit, formatNumber } from '../../validation/budgets.ts';
import { type ByteReader, readBlocks } from '../../validation/byte-reader.ts';
import type { ValidationLimits } from '../../validation/limits.ts';
import { hasNonFiniteNumber, visitLines } from '../../validation/lines.ts';
import { throwUnreadable } from '../../validation/unreadable.ts';

/** What most lines are. It is tested first, because the checks of other lines take much longer. */
const PLAIN_VERTEX = /^\s*vertex(?:\s+[-+]?[\d.]+(?:e[-+]?0?[012]?\d)?){3}\s*$/i;
/** A statement that is not the first one of its line. */
const LATER_STATEMENT = /\S\s+(?:vertex|facet|endfacet|endsolid)\b/i;
const BETWEEN_STATEMENTS = /(?<=\S)\s+(?=(?:vertex|facet|endfacet|endsolid)\b)/i;

/**
 * Validates an ASCII STL: each facet has three vertices, all finite, and the file is complete.
 *
 * @throws {Problem} design.unreadable, design.too-complex
 */
export async function validateAsciiStl(file: ByteReader, limits: ValidationLimits): Promise<void> {
  const validator = new AsciiStlValidator(limits);
  await visitLines(readBlocks(file), limits, (line, lineNumber) => {
    if (PLAIN_VERTEX.test(line)) validator.addVertex(lineNumber);
    else if (!LATER_STATEMENT.test(line)) validator.addStatement(line, lineNumber);
    else for (const text of splitStatements(line)) validator.addStatement(text, lineNumber);
  });
  validator.finish();
}

/** Splits a line into statements. A name after `solid` or `endsolid` may have keywords in it. */
function splitStatements(line: string): string[] {
  let isInName = false;
  return line.split(BETWEEN_STATEMENTS).filter((text) => {
    if (isInName && !/^facet\s+normal\b/i.test(text)) return false;
    isInName = /^\s*(end)?solid\b/i.test(text);
    return true;
  });
}

class AsciiStlValidator {
  readonly #limits: ValidationLimits;
  #facetCount = 0;
  /** The vertices of the current facet; undefined outside of a facet. */
  #vertexCount: number | undefined;
  #isInSolid = false;

  constructor(limits: ValidationLimits) {
    this.#limits = limits;
  }

  addStatement(text: string, lineNumber: number): void {
    const [, keyword = ''] = /^\s*(\w{0,12})/.exec(text) ?? [];
    switch (keyword.toLowerCase()) {
      case 'solid':
        this.#isInSolid = true;
        break;
      case 'endsolid':
        this.#isInSolid = false;
        this.#endFacet(lineNumber);
        break;
      case 'endfacet':
        this.#endFacet(lineNumber);
        break;
      case 'facet':
        this.#endFacet(lineNumber);
        this.#vertexCount = 0;
        this.#facetCount++;
        assertWithinLimit('triangles', this.#facetCount, this.#limits);
        break;
      case 'vertex':
        this.addVertex(lineNumber);
        if (hasNonFiniteNumber(text)) {
          throwUnreadable(
            'not-finite',
            `Line ${lineNumber} of the STL has a coordinate that is not a finite number`,
          );
        }
        break;
    }
  }

  addVertex(lineNumber: number): void {
    if (this.#vertexCount === undefined) {
      throwUnreadable('count', `Line ${lineNumber} of the STL has a vertex outside of a facet`);
    }
    this.#vertexCount++;
  }

  finish(): void {
    if (this.#isInSolid) {
      throwUnreadable('truncated', 'The STL has no "endsolid": its end is missing');
    }
    if (this.#facetCount === 0) throwUnreadable('empty', 'The STL has no triangles');
  }

  #endFacet(lineNumber: number): void {
    if (this.#vertexCount !== undefined && this.#vertexCount !== 3) {
      const triangle = `A triangle in or before line ${lineNumber} of the STL`;
      throwUnreadable('count', `${triangle} has ${formatNumber(this.#vertexCount)} vertices`);
    }
    this.#vertexCount = undefined;
  }
}
