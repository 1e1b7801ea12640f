export default {
  petstore: {
    input: 'openapi.json',
    output: {
      target: 'generated.ts',
      client: 'fetch',
      override: { mutator: { path: './call.ts', name: 'call' } },
    },
  },
};
