/* Files that the bundler takes in as text. */

declare module '*.sql' {
  const text: string;
  export default text;
}

declare module '*.lua' {
  const text: string;
  export default text;
}

declare module '*.csv' {
  const text: string;
  export default text;
}

declare module '*.md' {
  const text: string;
  export default text;
}

declare module '*.css' {
  const text: string;
  export default text;
}

declare module '*.svg' {
  const text: string;
  export default text;
}

/* Scripts for the browser: src/web takes them in as text. */
declare module '*.js' {
  const text: string;
  export default text;
}

/* Files that the bundler keeps beside the code: the import is a path. */

declare module '*.gz' {
  const path: string;
  export default path;
}

declare module '*.tgz' {
  const path: string;
  export default path;
}

declare module '*.whl' {
  const path: string;
  export default path;
}

declare module '*.txt' {
  const path: string;
  export default path;
}

declare module '*.png' {
  const path: string;
  export default path;
}

declare module '*.ico' {
  const path: string;
  export default path;
}

declare module '*.webp' {
  const path: string;
  export default path;
}
