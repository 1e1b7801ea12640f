const hasRequests = Bun.spawnSync(['python3', '-c', 'import requests']).success;

/** Python examples need the package requests. CI never skips them. */
export const leavesOutPython = !hasRequests && process.env['CI'] !== 'true';
