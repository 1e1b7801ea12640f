/* Files that the bundler takes in as text. */

declare module '*.sql' {
  const text: string;
  export default text;
}

declare module '*.csv' {
  const text: string;
  export default text;
}
