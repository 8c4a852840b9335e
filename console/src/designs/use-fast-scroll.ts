import { useEffect, useState } from 'react';

/** In screens per second. Nobody recognizes the pictures that pass by faster. */
const FAST_SPEED = 4;
/** Without a movement for so long, scrolling has ended. */
const END_MS = 120;

/** Whether the page is scrolled so fast that nothing has to be loaded for what is passed. */
export function useFastScroll(): boolean {
  const [isFast, setFast] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let frame = 0;
    let [lastTop, lastTime] = [scrollY, performance.now()];
    const onScroll = () => {
      const [top, time] = [scrollY, performance.now()];
      const screens = Math.abs(top - lastTop) / innerHeight;
      const isFastNow = (screens * 1000) / Math.max(1, time - lastTime) > FAST_SPEED;
      [lastTop, lastTime] = [top, time];
      setFast(isFastNow);
      stop();
      if (isFastNow) timer = setTimeout(end, END_MS);
    };
    // The next scroll event, which a slow frame delays, comes before this callback and cancels it.
    const end = () => {
      frame = requestAnimationFrame(() => setFast(false));
    };
    const stop = () => {
      clearTimeout(timer);
      cancelAnimationFrame(frame);
    };
    document.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      document.removeEventListener('scroll', onScroll);
      stop();
    };
  }, []);
  return isFast;
}
