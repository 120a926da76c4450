// Target CPU: no vendor library stands behind it, so every PG_HAS_ of pg/libraries.h is 0.
#ifndef PG_DETAIL_LIBRARIES_H
#define PG_DETAIL_LIBRARIES_H
#endif
