// Nothing of this header is missing in a run-time compiler.
#pragma once
