/** An icon of 32 pixels, a PNG in the format ICO: the letter M in the color of links. */
export const FAVICON = Buffer.from(
  [
    'AAABAAEAICAAAAEAIAC7AAAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAgGAAAAc3p69AAAAIJJREFUeNpjYMABuP03/6cmZiAGUNtSkh',
    'xDL8uxOoLelmM4YmQ7YKAshztiUDsAHRBrKCn6hpYDiHEEqXqGngPwGUiqerIdgM1QUtRSxQHIBhOrbug7gFjLaF4OkBoiNCmIyJUbPg4YmXXB',
    'yHPAyGgRjbaKB4UDBrxrNig6pwPVPQcAVjMaqKiXR+YAAAAASUVORK5CYII=',
  ].join(''),
  'base64',
);
