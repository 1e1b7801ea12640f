const hasRequests = Bun.spawnSync(['python3', '-c', 'import requests']).success;

/** Whether examples in Python are left out: they need the package requests. CI never leaves them out. */
export const leavesOutPython = !hasRequests && process.env['CI'] !== 'true';
