"""The mathematics: functions of arrays, which know nothing of estimators or files."""
