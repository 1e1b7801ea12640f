import { useEffect, useRef } from 'preact/hooks';

/** The pause after which a person has stopped typing. */
const TYPING_MS = 250;

/** Returns a function for each new text; `callback` gets the text once the person stops typing. */
export function useTyping(callback: (text: string) => void): (text: string) => void {
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return (text) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => callback(text.trim()), TYPING_MS);
  };
}
