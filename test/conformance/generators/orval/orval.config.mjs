export default {
  petstore: {
    input: 'openapi-3.0.json',
    output: {
      target: 'petstore.ts',
      client: 'fetch',
      override: { mutator: { path: './call.ts', name: 'call' } },
    },
  },
};
