import { EmptyPictureError } from './milestones.ts';

const MAX_ATTEMPTS = 3;

/** Sometimes the browser does not display what is in an iframe. That is no time of a viewer, so it is measured again. */
export async function repeatEmptyVisits<T>(label: string, measure: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await measure();
    } catch (error) {
      if (!(error instanceof EmptyPictureError) || attempt === MAX_ATTEMPTS) throw error;
      console.log(`${label}: ${error.message} It is measured again.`);
    }
  }
}
