/** The name of the product with its logo. */
export function BrandName() {
  return (
    <span className="brand">
      <svg
        viewBox="0 0 40 40"
        fill="none"
        stroke="currentColor"
        strokeWidth="2.5"
        strokeLinecap="round"
        aria-hidden="true"
      >
        <path d="M8 31V20a12 12 0 0 1 24 0v11" />
        <path d="M4 31h32M7 36h26M20 8V5" />
      </svg>
      Cloche
    </span>
  );
}
