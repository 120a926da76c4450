// What PyTorch writes when it is configured; its CPU package leaves it out.
#pragma once
