/** A part of a whole as a bar. The text next to it says the same. */
export function Bar({ share, tone = 'plain' }: { share: number; tone?: 'plain' | 'bad' }) {
  return (
    <span className={`bar ${tone}`} aria-hidden="true">
      <i style={{ width: `${Math.min(Math.max(share, 0), 1) * 100}%` }} />
    </span>
  );
}
